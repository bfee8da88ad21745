//! The registers of a new image, and the few instructions that end it with a message (protocol.md E3).

pub(super) use libc::user_regs_struct as Registers;

/// The exit code of a denied program.
pub(super) const DENIED: u8 = 126;

/// `write(2, message, length); exit_group(126)`. The message and its length are in registers already; the others are
/// set here, because the return of `execve` overwrites some of them.
#[cfg(target_arch = "x86_64")]
pub(super) const END: [u8; 24] = [
    0xbf, 2, 0, 0, 0, // mov edi, 2
    0xb8, 1, 0, 0, 0, // mov eax, 1 (write)
    0x0f, 0x05, // syscall
    0xbf, DENIED, 0, 0, 0, // mov edi, 126
    0xb8, 231, 0, 0, 0, // mov eax, 231 (exit_group)
    0x0f, 0x05, // syscall
];

/// The same in the instructions of aarch64.
#[cfg(target_arch = "aarch64")]
pub(super) const END: [u8; 24] = [
    0x40, 0x00, 0x80, 0xd2, // mov x0, #2
    0x08, 0x08, 0x80, 0xd2, // mov x8, #64 (write)
    0x01, 0x00, 0x00, 0xd4, // svc #0
    0xc0, 0x0f, 0x80, 0xd2, // mov x0, #126
    0xc8, 0x0b, 0x80, 0xd2, // mov x8, #94 (exit_group)
    0x01, 0x00, 0x00, 0xd4, // svc #0
];

/// Returns the stack pointer.
pub(super) fn stack(registers: &Registers) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return registers.rsp;
    #[cfg(target_arch = "aarch64")]
    return registers.sp;
}

/// Returns the address of the next instruction.
pub(super) fn next(registers: &Registers) -> u64 {
    #[cfg(target_arch = "x86_64")]
    return registers.rip;
    #[cfg(target_arch = "aarch64")]
    return registers.pc;
}

/// Sets the second and the third argument of a system call.
pub(super) fn set_message(registers: &mut Registers, address: u64, length: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        (registers.rsi, registers.rdx) = (address, length);
    }
    #[cfg(target_arch = "aarch64")]
    {
        (registers.regs[1], registers.regs[2]) = (address, length);
    }
}

/// Returns the number of the system call that a process is about to make; `None` if there is none.
pub(super) fn call_number(registers: &Registers) -> Option<i64> {
    #[cfg(target_arch = "x86_64")]
    return i64::try_from(registers.orig_rax).ok();
    #[cfg(target_arch = "aarch64")]
    return i64::try_from(registers.regs[8]).ok();
}

/// Returns the arguments of the system call that a process is about to make.
pub(super) fn arguments(registers: &Registers) -> [u64; 6] {
    #[cfg(target_arch = "x86_64")]
    return [registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9];
    #[cfg(target_arch = "aarch64")]
    return std::array::from_fn(|at| registers.regs[at]);
}

/// Returns the result of the system call that has just returned; a negative value is an error.
pub(super) fn result(registers: &Registers) -> i64 {
    #[cfg(target_arch = "x86_64")]
    return registers.rax.cast_signed();
    #[cfg(target_arch = "aarch64")]
    return registers.regs[0].cast_signed();
}

/// Sets the result of a system call.
pub(super) fn set_result(registers: &mut Registers, result: i64) {
    #[cfg(target_arch = "x86_64")]
    {
        registers.rax = result.cast_unsigned();
    }
    #[cfg(target_arch = "aarch64")]
    {
        registers.regs[0] = result.cast_unsigned();
    }
}
