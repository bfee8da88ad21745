//! The files that well-known commands read and write: their options, and the meaning of their operands. Data only.
//!
//! An option that is not listed counts as one without a value, and a name that begins several listed ones as each of
//! them.

use super::options::Syntax;

/// A command that uses files.
#[derive(Debug)]
pub(super) struct Usage {
    pub(super) names: &'static [&'static str],
    pub(super) syntax: Syntax,
    pub(super) operands: Operands,
    /// Options whose value is a file that is read.
    pub(super) reads: &'static [&'static str],
    /// Options whose value is a file that is written, or a directory that files are written to.
    pub(super) edits: &'static [&'static str],
}

/// The meaning of a command's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Files that are read.
    Read,
    /// Files that are written, or removed.
    Edit,
    /// A pattern, a script or a mode, unless one of these options is given; then files that are read.
    ReadAfter(&'static [&'static str]),
    /// The same with files that are written.
    EditAfter(&'static [&'static str]),
    /// Files to read, then one to write; with one of these options only files to read.
    Copy(&'static [&'static str]),
    /// One file to read, then one to write.
    InOut,
    /// `sed`: as [`ReadAfter`](Self::ReadAfter), but some options make it write them.
    Sed,
    /// `dd`: `if=` and `of=`.
    Dd,
    /// None, or none that are files.
    None,
}

const fn usage(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static str,
    operands: Operands,
) -> Usage {
    Usage { names, syntax: Syntax { short, long }, operands, reads: &[], edits: &[] }
}

impl Usage {
    const fn reading(self, reads: &'static [&'static str]) -> Self {
        Self { reads, ..self }
    }

    const fn editing(self, edits: &'static [&'static str]) -> Self {
        Self { edits, ..self }
    }
}

/// The usage of a command.
pub(super) fn find(name: &str) -> Option<&'static Usage> {
    USAGES.iter().find(|usage| usage.names.contains(&name))
}

const GREP: &str = "EFGPe:f:iyvwxczsm:bnHhoqLlrRA:B:C:aUTZD:d:Iu";
const GREP_LONG: &str = "extended-regexp fixed-strings basic-regexp perl-regexp regexp: file: ignore-case no-ignore-case \
    word-regexp line-regexp null-data no-messages invert-match version help max-count: byte-offset line-number \
    line-buffered with-filename no-filename label: only-matching quiet silent binary-files: text directories: devices: \
    recursive dereference-recursive include: exclude: exclude-from: exclude-dir: files-without-match files-with-matches \
    count initial-tab null before-context: after-context: context: group-separator: no-group-separator color:: colour:: \
    binary unix-byte-offsets";
const TARGET: &[&str] = &["t", "target-directory"];
const SUMS: &[&str] = &[
    "md5sum",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "b2sum",
    "cksum",
    "sum",
    "base64",
    "base32",
    "basenc",
];

const USAGES: &[Usage] = &[
    usage(&["cat", "tac", "rev"], "beEnstTuvAr:s:", "before regex separator: number show-all", Operands::Read),
    usage(&["head", "tail"], "c:n:qvzfFs:", "bytes: lines: quiet silent verbose zero-terminated follow:: pid: retry sleep-interval: max-unchanged-stats:",
        Operands::Read,
    ),
    usage(&["less", "more", "most", "bat", "batcat", "view"], "b:h:j:k:o:O:p:P:t:T:x:y:z:", "log-file: LOG-FILE:", Operands::Read)
        .editing(&["o", "O", "log-file", "LOG-FILE"]),
    usage(&["nl"], "b:d:f:h:i:l:n:ps:v:w:", "body-numbering: section-delimiter: footer-numbering: header-numbering: line-increment: join-blank-lines: number-format: no-renumber number-separator: starting-line-number: number-width:", Operands::Read),
    usage(&["od", "hexdump", "hd"], "A:j:N:S:t:w::abcdfilosxve:f:n:", "address-radix: skip-bytes: read-bytes: strings:: format: width:: traditional", Operands::Read)
        .reading(&["f"]),
    usage(&["xxd"], "ac:Cl:s:g:o:bdeEhiprRn:uv", "", Operands::InOut),
    usage(&["strings"], "n:t:e:T:s:U:afo", "bytes: radix: encoding: target: output-separator: unicode: all", Operands::Read),
    usage(&["cut"], "b:c:d:f:nsz", "bytes: characters: delimiter: fields: complement only-delimited output-delimiter: zero-terminated", Operands::Read),
    usage(&["paste"], "d:sz", "delimiters: serial zero-terminated", Operands::Read),
    usage(&["uniq"], "f:s:w:cdDiuz", "skip-fields: skip-chars: check-chars: all-repeated:: group:: count", Operands::InOut),
    usage(&["sort"], "bdfghik:mno:rsS:t:T:uVRMcCz", "key: field-separator: output: buffer-size: temporary-directory: batch-size: compress-program: files0-from: parallel: random-source: sort: check:: merge unique", Operands::Read)
        .reading(&["files0-from", "random-source"]).editing(&["o", "output", "T", "temporary-directory"]),
    usage(&["diff", "sdiff", "colordiff"], "C:U:D:F:I:L:S:W:x:X:o:", "context:: unified:: ifdef: show-function-line: ignore-matching-lines: label: starting-file: width: exclude: exclude-from: from-file: to-file: output: horizon-lines: tabsize: palette: line-format: color::", Operands::Read)
        .reading(&["X", "exclude-from", "from-file", "to-file"]).editing(&["o", "output"]),
    usage(&["cmp"], "bi:ln:s", "ignore-initial: bytes: print-bytes verbose quiet silent", Operands::Read),
    usage(&["pr"], "acD:de:fFhi:JlmNn:o:rs:S:tTvw:W:", "pages: columns: date-format: header: length: separator: width: page-width:", Operands::Read),
    usage(&["shuf", "ptx", "ul", "iconv", "diff3", "colrm"], "ei:n:o:rzf:t:clsm3AEXTaLW:", "echo input-range: head-count: output: random-source: repeat from-code: to-code: diff-program: label:", Operands::Read)
        .reading(&["random-source"]).editing(&["o", "output"]),
    usage(&["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "zstd", "unzstd", "lz4", "compress"], "S:b:T:o:M:cdfhklLnNqrtvV0123456789e", "suffix: threads: memlimit: stdout to-stdout decompress force keep", Operands::Copy(&["c", "stdout", "to-stdout"]))
        .editing(&["o"]),
    usage(&["bash", "sh", "dash", "zsh", "ksh", "python", "python3", "perl", "ruby", "node", "php", "lua"], "c:e:E:m:O:o:I:M:W:X:r:", "rcfile: init-file: eval: print: require: import:", Operands::Read)
        .reading(&["rcfile", "init-file", "r", "require", "import"]),
    usage(&["date"], "d:f:r:s:", "date: file: reference: set:", Operands::None).reading(&["f", "file", "r", "reference"]),
    usage(&["xargs"], "a:d:E:I:L:n:P:s:", "arg-file: delimiter: max-args: max-procs: max-chars: replace::", Operands::None).reading(&["a", "arg-file"]),
    usage(&["zip", "cpp", "gcc", "cc", "g++", "clang"], "o:I:L:l:D:x:", "", Operands::Read).editing(&["o"]),
    usage(&["comm", "join", "tsort", "expand", "unexpand", "fold", "fmt", "column", "look"], "123a:e:i1:j:o:t:v:w:p:c:", "output-delimiter: tabs: width: separator:", Operands::Read),
    usage(&["wc"], "clmLw", "bytes chars lines words max-line-length files0-from: total:", Operands::Read).reading(&["files0-from"]),
    usage(&["file"], "f:F:m:P:M:e:", "files-from: separator: magic-file: exclude: parameter:", Operands::Read).reading(&["f", "files-from", "m", "magic-file"]),
    usage(SUMS, "a:bctl:w:diz", "algorithm: length: wrap: check", Operands::Read),
    usage(&["zcat", "bzcat", "xzcat", "zless", "zmore", "lz4cat", "zstdcat"], "", "", Operands::Read),
    usage(&["grep", "egrep", "fgrep", "zgrep", "bzgrep", "xzgrep", "rgrep"], GREP, GREP_LONG, Operands::ReadAfter(&["e", "f", "regexp", "file"]))
        .reading(&["f", "file", "exclude-from"]),
    usage(&["rg", "ag", "ack"], "e:f:g:t:T:m:A:B:C:d:E:j:M:r:", "regexp: file: glob: iglob: type: type-not: max-count: after-context: before-context: context: max-depth: encoding: threads: max-columns: replace: sort: sortr: color: colors: pre: pre-glob: ignore-file: files type-list", Operands::ReadAfter(&["e", "f", "regexp", "file", "files", "type-list"]))
        .reading(&["f", "file", "ignore-file"]),
    usage(&["jq"], "fL:nrRsScCaej", "from-file arg: argjson: slurpfile: rawfile: indent: args jsonargs", Operands::ReadAfter(&["f", "from-file"])),
    usage(&["awk", "gawk", "mawk", "nawk"], "F:f:v:i:E:", "field-separator: file: assign: include: exec:", Operands::ReadAfter(&["f", "file", "E", "exec"]))
        .reading(&["f", "file", "i", "include", "E", "exec"]),
    usage(&["sed", "gsed"], "ne:f:i::El:rsuz", "quiet silent debug expression: file: follow-symlinks in-place:: line-length: posix regexp-extended separate sandbox unbuffered null-data zero-terminated help version", Operands::Sed)
        .reading(&["f", "file"]),
    usage(&["source", "."], "", "", Operands::Read),
    usage(&["tee"], "aip", "append ignore-interrupts output-error:: help version", Operands::Edit),
    usage(&["rm"], "dfiIrRv", "force interactive:: one-file-system no-preserve-root preserve-root:: recursive dir verbose", Operands::Edit),
    usage(&["rmdir", "unlink", "shred", "mkdir", "mkfifo", "mknod"], "m:Z::pvn:s:uxzf", "mode: context:: parents verbose iterations: random-source: size: remove::", Operands::Edit),
    usage(&["touch"], "acd:fhmr:t:", "time: date: reference: no-create no-dereference", Operands::Edit).reading(&["r", "reference"]),
    usage(&["truncate"], "cor:s:", "no-create io-blocks reference: size:", Operands::Edit).reading(&["r", "reference"]),
    usage(&["chmod", "chown", "chgrp", "setfacl", "chattr"], "cfhRvHLP", "reference: from: recursive preserve-root no-preserve-root", Operands::EditAfter(&["reference"])).reading(&["reference"]),
    usage(&["mv"], "bfint:uS:TvZ", "backup:: context debug exchange force interactive no-clobber no-copy no-target-directory strip-trailing-slashes suffix: target-directory: update:: verbose", Operands::Edit).editing(TARGET),
    usage(&["cp"], "abdfHilLnPprRst:uS:TvxZ", "archive attributes-only backup:: copy-contents context:: debug dereference force interactive keep-directory-symlink link no-clobber no-dereference no-preserve: no-target-directory one-file-system parents preserve:: recursive reflink:: remove-destination sparse: strip-trailing-slashes suffix: symbolic-link target-directory: update:: verbose", Operands::Copy(TARGET)).editing(TARGET),
    usage(&["ln"], "bdfFiLnPrst:S:Tv", "backup:: directory no-dereference no-target-directory force interactive suffix: target-directory: logical physical relative symbolic verbose", Operands::Copy(TARGET)).editing(TARGET),
    usage(&["install", "ginstall"], "bcCdDg:m:o:pst:S:TvZ", "backup:: compare context:: debug directory group: mode: no-target-directory owner: preserve-context preserve-timestamps strip strip-program: suffix: target-directory: verbose", Operands::Copy(TARGET)).editing(TARGET),
    usage(&["link"], "", "", Operands::Copy(&[])),
    usage(&["rsync"], "e:B:f:M:T:", "rsh: rsync-path: exclude: include: exclude-from: include-from: files-from: filter: log-file: temp-dir: backup-dir: suffix: partial-dir: compare-dest: copy-dest: link-dest: chmod: out-format: password-file: port: timeout: bwlimit: max-size: min-size:", Operands::Copy(&[]))
        .reading(&["exclude-from", "include-from", "files-from", "password-file"]).editing(&["log-file", "temp-dir", "backup-dir", "partial-dir"]),
    usage(&["dd"], "", "", Operands::Dd),
    usage(&["split"], "a:b:C:l:n:t:dxeu", "suffix-length: additional-suffix: bytes: line-bytes: lines: number: separator: filter: numeric-suffixes:: hex-suffixes::", Operands::InOut),
    usage(&["csplit"], "b:f:n:ksz", "prefix: suffix-format: digits:", Operands::Read).editing(&["f", "prefix"]),
    usage(&["patch"], "p:d:i:o:r:b:B:z:F:D:", "strip: directory: input: output: reject-file: prefix: suffix: fuzz: ifdef:", Operands::Edit)
        .reading(&["i", "input"]).editing(&["d", "directory", "o", "output", "r", "reject-file"]),
    usage(&["vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "pico", "micro"], "c:S:u:i:p:", "cmd:", Operands::Edit),
    usage(&["tar", "bsdtar", "gtar"], "C:f:T:X:b:g:H:I:K:L:N:V:F:", "directory: file: files-from: exclude-from: exclude: listed-incremental: transform: one-top-level::", Operands::Read)
        .reading(&["T", "files-from", "X", "exclude-from"]).editing(&["C", "directory", "f", "file", "one-top-level"]),
    usage(&["unzip"], "d:P:x:", "", Operands::Read).editing(&["d"]),
    usage(&["curl"], "o:d:F:T:K:b:c:D:e:H:A:u:X:m:x:E:w:y:Y:z:", "output: output-dir: data: data-binary: form: upload-file: config: cookie: cookie-jar: dump-header: header: user-agent: user: request: proxy: cert: key: cacert: trace: trace-ascii: stderr: write-out: url:", Operands::None)
        .reading(&["T", "upload-file", "K", "config", "d", "data", "data-binary", "F", "form"]).editing(&["o", "output", "output-dir", "c", "cookie-jar", "D", "dump-header", "trace", "trace-ascii", "stderr"]),
    usage(&["wget"], "O:P:o:a:i:", "output-document: directory-prefix: output-file: append-output: input-file: post-file: body-file: load-cookies: save-cookies:", Operands::None)
        .reading(&["i", "input-file", "post-file", "body-file", "load-cookies"]).editing(&["O", "output-document", "P", "directory-prefix", "o", "output-file", "a", "append-output", "save-cookies"]),
    usage(&["tree"], "L:P:I:o:H:T:", "filelimit: timefmt: charset: sort:", Operands::None).editing(&["o"]),
];
