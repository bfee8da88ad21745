//! The files that well-known commands read and write: their options, and the meaning of their operands. Data only.
//!
//! An option that is not listed counts as one without a value, and a prefix of several listed names as each of
//! them.

mod more;

use super::options::Syntax;
use super::unversioned::unversioned;

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
    /// Options that make the command write, move or remove its operands.
    pub(super) edited_by: &'static [&'static str],
    /// Options that make it take the names of files from a file or from its input.
    pub(super) lists: &'static [&'static str],
    pub(super) recursion: Recursion,
    pub(super) here: Option<Here>,
}

/// The use of everything in a directory that is an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recursion {
    Never,
    Always,
    /// With one of these options.
    With(&'static [&'static str]),
}

/// A command that writes files of its own choice in its directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Here {
    /// The options that make it do so; none if it always does.
    pub(super) when: &'static [&'static str],
    /// The options that keep it from doing so.
    pub(super) unless: &'static [&'static str],
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
    /// A pattern, a script or a mode, unless one of these options is given; then files that are written.
    EditAfter(&'static [&'static str]),
    /// Files to read, then one to write; with one of these options only files to read.
    Copy(&'static [&'static str]),
    /// One file to read, then one to write.
    InOut,
    /// `sed`: as [`ReadAfter`](Self::ReadAfter), but some options make it write them.
    Sed,
    /// `dd`: `if=` and `of=`.
    Dd,
    /// An archive that is written, then files to read.
    Archive,
    /// A command with its own arguments, after this number of files that are written. Options end at the first operand.
    Command(usize),
    /// Files that are read, among options with one dash and a long name. The values of these options are written; a `:`
    /// marks one whose value may be attached.
    Words(&'static [&'static str]),
    /// As [`Words`](Self::Words), but the files are written.
    EditedWords(&'static [&'static str]),
    /// None, or none that are files.
    None,
}

const fn usage(
    names: &'static [&'static str],
    short: &'static str,
    long: &'static str,
    operands: Operands,
) -> Usage {
    Usage {
        names,
        syntax: Syntax { short, long },
        operands,
        reads: &[],
        edits: &[],
        edited_by: &[],
        lists: &[],
        recursion: Recursion::Never,
        here: None,
    }
}

impl Usage {
    const fn reading(self, reads: &'static [&'static str]) -> Self {
        Self { reads, ..self }
    }

    const fn editing(self, edits: &'static [&'static str]) -> Self {
        Self { edits, ..self }
    }

    const fn edited_by(self, edited_by: &'static [&'static str]) -> Self {
        Self { edited_by, ..self }
    }

    const fn listing(self, lists: &'static [&'static str]) -> Self {
        Self { lists, ..self }
    }

    const fn recursive(self) -> Self {
        Self { recursion: Recursion::Always, ..self }
    }

    const fn recursive_with(self, options: &'static [&'static str]) -> Self {
        Self { recursion: Recursion::With(options), ..self }
    }

    const fn here(self, when: &'static [&'static str], unless: &'static [&'static str]) -> Self {
        Self { here: Some(Here { when, unless }), ..self }
    }
}

/// Returns the usage of a command, or of the command that it is a version of.
pub(super) fn find(name: &str) -> Option<&'static Usage> {
    let listed = |name: &str| USAGES.iter().chain(more::USAGES).find(|usage| usage.names.contains(&name));
    listed(name).or_else(|| listed(unversioned(name)))
}

const GREP: &str = "EFGPe:f:iyvwxczsm:bnHhoqLlrRA:B:C:aUTZD:d:Iu";
const GREP_LONG: &str = "extended-regexp fixed-strings basic-regexp perl-regexp regexp: file: ignore-case no-ignore-case \
    word-regexp line-regexp null-data no-messages invert-match version help max-count: byte-offset line-number \
    line-buffered with-filename no-filename label: only-matching quiet silent binary-files: text directories: devices: \
    recursive dereference-recursive include: exclude: exclude-from: exclude-dir: files-without-match files-with-matches \
    count initial-tab null before-context: after-context: context: group-separator: no-group-separator color:: colour:: \
    binary unix-byte-offsets";
const TAR: &str = "AcdrtuxaBb:C:f:F:g:GhH:iI:jJkK:lL:mMnN:oOpPRsST:UvV:wWX:zZ01234567";
const TAR_LONG: &str = "append catenate concatenate create delete diff compare extract get list update test-label \
    add-file: after-date: newer: atime-preserve:: auto-compress no-auto-compress backup:: block-number blocking-factor: \
    bzip2 checkpoint:: checkpoint-action: check-device clamp-mtime delay-directory-restore dereference directory: \
    exclude: exclude-backups exclude-caches exclude-from: exclude-ignore: exclude-tag: exclude-vcs file: files-from: \
    force-local format: full-time group: group-map: gzip hard-dereference help ignore-case incremental index-file: \
    info-script: new-volume-script: interactive keep-newer-files keep-old-files label: level: listed-incremental: lzip \
    lzma lzop mode: mtime: multi-volume newer-mtime: no-recursion null numeric-owner occurrence:: one-file-system \
    one-top-level:: overwrite owner: owner-map: pax-option: portability posix preserve-permissions quoting-style: \
    quote-chars: record-size: recursion recursive-unlink remove-files restrict rmt-command: rsh-command: same-owner \
    same-permissions same-order seek show-defaults show-omitted-dirs sort: sparse sparse-version: starting-file: \
    strip-components: suffix: tape-length: to-command: to-stdout totals transform: xform: touch uncompress unlink-first \
    unquote use-compress-program: utc verbatim-files-from verbose verify volno-file: wildcards xattrs xz zstd";
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
        .listing(&["files0-from"]).reading(&["files0-from", "random-source"]).editing(&["o", "output", "T", "temporary-directory"]),
    usage(&["diff", "sdiff", "colordiff", "zdiff", "bzdiff", "xzdiff"], "abBC:dEefHilnNpqrstTuvwyZC:U:D:F:I:L:S:W:x:X:o:", "context:: unified:: ifdef: show-function-line: ignore-matching-lines: label: starting-file: width: exclude: exclude-from: from-file: to-file: output: horizon-lines: tabsize: palette: line-format: color:: recursive", Operands::Read)
        .reading(&["X", "exclude-from", "from-file", "to-file"]).editing(&["o", "output"]).recursive_with(&["r", "recursive"]),
    usage(&["cmp", "zcmp", "bzcmp", "xzcmp"], "bi:ln:s", "ignore-initial: bytes: print-bytes verbose quiet silent", Operands::Read),
    usage(&["pr"], "acD:de:fFhi:JlmNn:o:rs:S:tTvw:W:", "pages: columns: date-format: header: length: separator: width: page-width:", Operands::Read),
    usage(&["shuf", "ul", "iconv", "diff3", "colrm"], "ei:n:o:rzf:t:clsm3AEXTaLW:", "echo input-range: head-count: output: random-source: repeat from-code: to-code: diff-program: label:", Operands::Read)
        .reading(&["random-source"]).editing(&["o", "output"]),
    usage(&["gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "zstd", "unzstd", "lz4", "unlz4", "compress", "uncompress", "lzip", "lzop", "pigz", "pbzip2"], "S:b:T:o:M:cdfhklLnNqrtvV0123456789e", "suffix: threads: memlimit: stdout to-stdout decompress force keep recursive output-dir-flat: output-dir-mirror: filelist: patch-from: files:: files0:: trace: rm", Operands::Copy(&["c", "stdout", "to-stdout"]))
        .reading(&["patch-from", "filelist"]).listing(&["filelist", "files", "files0"]).editing(&["o", "output-dir-flat", "output-dir-mirror", "trace"]).edited_by(&["rm"])
        .recursive_with(&["r", "recursive"]),
    usage(&["bash", "sh", "dash", "zsh", "ksh", "php", "lua"], "c:e:E:m:O:o:I:M:W:X:r:", "rcfile: init-file: eval: print: require: import:", Operands::Read)
        .reading(&["rcfile", "init-file", "r", "require", "import"]),
    usage(&["date"], "d:f:r:s:", "date: file: reference: set:", Operands::None).reading(&["f", "file", "r", "reference"]),
    usage(&["xargs"], "0a:d:e::E:i::I:l::L:n:oprP:s:tx", "arg-file: delimiter: eof:: exit interactive max-args: max-lines:: max-procs: max-chars: no-run-if-empty null open-tty process-slot-var: replace:: show-limits verbose", Operands::Command(0)).reading(&["a", "arg-file"]),
    usage(&["comm", "join", "tsort", "expand", "unexpand", "fold", "fmt", "column", "look"], "123a:e:i1:j:o:t:v:w:p:c:", "output-delimiter: tabs: width: separator:", Operands::Read),
    usage(&["wc"], "clmLw", "bytes chars lines words max-line-length files0-from: total:", Operands::Read).reading(&["files0-from"]).listing(&["files0-from"]),
    usage(&["file"], "f:F:m:P:M:e:C", "files-from: separator: magic-file: exclude: parameter: compile", Operands::Read).reading(&["f", "files-from", "m", "magic-file"]).listing(&["f", "files-from"]),
    usage(SUMS, "a:bctl:w:diz", "algorithm: length: wrap: check", Operands::Read),
    usage(&["zcat", "bzcat", "xzcat", "lzcat", "lz4cat", "zstdcat", "gzcat", "zless", "zmore", "bzless", "bzmore", "xzless", "xzmore", "lzless", "lzmore", "zstdless"], "", "", Operands::Read),
    usage(&["grep", "egrep", "fgrep", "zgrep", "zegrep", "zfgrep", "bzgrep", "bzegrep", "bzfgrep", "xzgrep", "xzegrep", "xzfgrep", "lzgrep", "lzegrep", "lzfgrep", "zstdgrep", "ggrep"], GREP, GREP_LONG, Operands::ReadAfter(&["e", "f", "regexp", "file"]))
        .reading(&["f", "file", "exclude-from"]).recursive_with(&["r", "R", "d", "recursive", "dereference-recursive", "directories"]),
    usage(&["rgrep"], GREP, GREP_LONG, Operands::ReadAfter(&["e", "f", "regexp", "file"]))
        .reading(&["f", "file", "exclude-from"]).recursive(),
    usage(&["rg", "ag", "ack"], "e:f:g:t:T:m:A:B:C:d:E:j:M:r:", "regexp: file: glob: iglob: type: type-not: max-count: after-context: before-context: context: max-depth: encoding: threads: max-columns: replace: sort: sortr: color: colors: pre: pre-glob: ignore-file: files type-list", Operands::ReadAfter(&["e", "f", "regexp", "file", "files", "type-list"]))
        .reading(&["f", "file", "ignore-file"]).recursive(),
    usage(&["jq"], "fL:nrRsScCaej", "from-file arg: argjson: indent: args jsonargs null-input raw-input slurp raw-output compact-output exit-status ascii-output color-output monochrome-output join-output sort-keys tab stream seq", Operands::ReadAfter(&["f", "from-file"])),
    usage(&["awk", "gawk", "mawk", "nawk"], "F:f:v:i:E:", "field-separator: file: assign: include: exec:", Operands::ReadAfter(&["f", "file", "E", "exec"]))
        .reading(&["f", "file", "i", "include", "E", "exec"]),
    usage(&["sed", "gsed"], "ne:f:i::El:rsuz", "quiet silent debug expression: file: follow-symlinks in-place:: line-length: posix regexp-extended separate sandbox unbuffered null-data zero-terminated help version", Operands::Sed)
        .reading(&["f", "file"]),
    usage(&["source", "."], "", "", Operands::Read),
    usage(&["tee"], "aip", "append ignore-interrupts output-error:: help version", Operands::Edit),
    usage(&["rm"], "dfiIrRv", "force interactive:: one-file-system no-preserve-root preserve-root:: recursive dir verbose", Operands::Edit).recursive_with(&["r", "R", "recursive"]),
    usage(&["rmdir", "unlink", "shred", "mkdir", "mkfifo", "mknod"], "m:Z::pvn:s:uxzf", "mode: context:: parents verbose iterations: random-source: size: remove::", Operands::Edit),
    usage(&["touch"], "acd:fhmr:t:", "time: date: reference: no-create no-dereference", Operands::Edit).reading(&["r", "reference"]),
    usage(&["truncate"], "cor:s:", "no-create io-blocks reference: size:", Operands::Edit).reading(&["r", "reference"]),
    usage(&["chmod", "chown", "chgrp", "setfacl", "chattr"], "cfhRvHLP", "reference: from: recursive preserve-root no-preserve-root", Operands::EditAfter(&["reference"])).reading(&["reference"]).recursive_with(&["R", "recursive"]),
    usage(&["mv"], "bfint:uS:TvZ", "backup:: context debug exchange force interactive no-clobber no-copy no-target-directory strip-trailing-slashes suffix: target-directory: update:: verbose", Operands::Edit).editing(TARGET).recursive(),
    usage(&["cp"], "abdfHilLnPprRst:uS:TvxZ", "archive attributes-only backup:: copy-contents context:: debug dereference force interactive keep-directory-symlink link no-clobber no-dereference no-preserve: no-target-directory one-file-system parents preserve:: recursive reflink:: remove-destination sparse: strip-trailing-slashes suffix: symbolic-link target-directory: update:: verbose", Operands::Copy(TARGET)).editing(TARGET).recursive_with(&["a", "r", "R", "archive", "recursive"]),
    usage(&["ln"], "bdfFiLnPrst:S:Tv", "backup:: directory no-dereference no-target-directory force interactive suffix: target-directory: logical physical relative symbolic verbose", Operands::Copy(TARGET)).editing(TARGET),
    usage(&["install", "ginstall"], "bcCdDg:m:o:pst:S:TvZ", "backup:: compare context:: debug directory group: mode: no-target-directory owner: preserve-context preserve-timestamps strip strip-program: suffix: target-directory: verbose", Operands::Copy(TARGET)).editing(TARGET),
    usage(&["link"], "", "", Operands::Copy(&[])),
    usage(&["rsync"], "e:B:f:M:T:", "remove-source-files rsh: rsync-path: exclude: include: exclude-from: include-from: files-from: filter: log-file: temp-dir: backup-dir: suffix: partial-dir: compare-dest: copy-dest: link-dest: chmod: out-format: password-file: port: timeout: bwlimit: max-size: min-size:", Operands::Copy(&[]))
        .reading(&["exclude-from", "include-from", "files-from", "password-file"]).listing(&["files-from"]).edited_by(&["remove-source-files"]).recursive().editing(&["log-file", "temp-dir", "backup-dir", "partial-dir"]),
    usage(&["dd"], "", "", Operands::Dd),
    usage(&["split"], "a:b:C:l:n:t:dxeu", "suffix-length: additional-suffix: bytes: line-bytes: lines: number: separator: filter: numeric-suffixes:: hex-suffixes::", Operands::InOut).here(&[], &[]),
    usage(&["csplit"], "b:f:n:ksz", "prefix: suffix-format: digits:", Operands::Read).editing(&["f", "prefix"]).here(&[], &["f", "prefix"]),
    usage(&["patch"], "p:d:i:o:r:bB:z:F:D:V:Y:g:EflnNRstTuvZc", "strip: directory: input: output: reject-file: prefix: suffix: fuzz: ifdef: basename-prefix: backup version-control: get:", Operands::Edit)
        .reading(&["i", "input"]).editing(&["d", "directory", "o", "output", "r", "reject-file", "B", "prefix", "Y", "basename-prefix"]).here(&[], &["d", "directory"]),
    usage(&["vi", "vim", "nvim", "nano", "emacs", "ed", "ex", "pico", "micro"], "c:S:u:i:p:", "cmd:", Operands::Edit),
    usage(&["tar", "bsdtar", "gtar"], TAR, TAR_LONG, Operands::Read)
        .reading(&["T", "files-from", "X", "exclude-from", "add-file"]).listing(&["T", "files-from"])
        .editing(&["C", "directory", "f", "file", "one-top-level", "g", "listed-incremental", "index-file", "volno-file"])
        .edited_by(&["x", "extract", "get", "remove-files"]).recursive().here(&["x", "extract", "get"], &["C", "directory", "O", "to-stdout", "one-top-level"]),
    usage(&["unzip"], "d:P:x:abcCDfjKlLMnopqtTuUvVWXzZ:^", "", Operands::Read).editing(&["d"]).here(&[], &["d", "l", "p", "c", "t", "T", "v", "z", "Z"]),
    usage(&["tree"], "L:P:I:o:H:T:", "filelimit: timefmt: charset: sort:", Operands::None).editing(&["o"]),
];
