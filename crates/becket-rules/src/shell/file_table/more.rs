//! Further commands and their files: interpreters, compilers, archives, downloads, wrappers and readers. Data only.

use super::{Operands, Usage, usage};

const COMPILER: &[&str] =
    &["-o:", "-MF:", "-MJ:", "-dumpdir", "-dumpbase", "-aux-info", "-Map", "-fprofile-dir"];
const FIND: &[&str] = &["-fprint", "-fprint0", "-fprintf", "-fls"];

pub(super) const USAGES: &[Usage] = &[
    // Programs and their scripts.
    usage(
        &["python", "python2", "python3", "pypy", "pypy3"],
        "bBc:dEiIm:o:OPqsSuvVW:xX:C:",
        "coverdir: outfile: check-hash-based-pycs:",
        Operands::Read,
    )
    .editing(&["o", "outfile", "C", "coverdir"]),
    usage(&["perl"], "0123456789aC::cdD:e:E:fF:hi::I:m:M:npsStTuUvV::wWxX", "", Operands::Read)
        .edited_by(&["i"]),
    usage(&["ruby", "irb", "erb"], "0aC:cdE:e:F:hi::I:K:lnpr:sST::UvwW::x::yX:", "", Operands::Read)
        .reading(&["r"])
        .edited_by(&["i"]),
    usage(
        &["node", "nodejs", "deno", "bun"],
        "ce:hip:r:vC:",
        "check eval: print: require: import: cpu-prof heap-prof prof logfile: cpu-prof-dir: heap-prof-dir: \
         diagnostic-dir: report-dir: report-directory: redirect-warnings: trace-event-file-pattern: icu-data-dir: \
         env-file: env-file-if-exists: tls-keylog: snapshot-blob: test-reporter-destination: \
         heapsnapshot-near-heap-limit:",
        Operands::Read,
    )
    .reading(&["r", "require", "import", "env-file", "env-file-if-exists"])
    .editing(&[
        "logfile",
        "cpu-prof-dir",
        "heap-prof-dir",
        "diagnostic-dir",
        "report-dir",
        "report-directory",
        "redirect-warnings",
        "trace-event-file-pattern",
        "tls-keylog",
        "snapshot-blob",
        "test-reporter-destination",
    ]),
    usage(&["java", "javac", "javap"], "", "", Operands::Words(&["-Xlog:", "-Xloggc:", "-d", "-s", "-h"])),
    usage(&["tclsh", "wish", "expect", "guile", "Rscript", "groovy", "sqlite3"], "", "", Operands::EditedWords(&[])),
    // Compilers and their tools; `@file` holds arguments, and is shown in messages.
    usage(
        &["gcc", "cc", "c++", "g++", "clang", "clang++", "c89", "c99", "gfortran", "ld", "gold", "as", "rustc"],
        "",
        "",
        Operands::Words(COMPILER),
    )
    .here(&[], &[]),
    usage(&["cpp"], "", "", Operands::EditedWords(COMPILER)),
    usage(
        &["nm", "size", "readelf", "objdump", "addr2line", "c++filt"],
        "",
        "",
        Operands::Words(&[]),
    ),
    usage(&["strip", "objcopy", "ranlib", "elfedit", "patchelf"], "", "", Operands::EditedWords(&["-o:"])),
    usage(&["ctags", "etags", "cscope"], "", "", Operands::Words(&["-f:", "-o:"])),
    usage(&["openssl"], "", "", Operands::Words(&["-out", "-keyout", "-writerand", "-CAserial", "-CAcreateserial"])),
    // Archives.
    usage(
        &["zip"],
        "0123456789AcdDeEfFghi:jJklmn:oO:P:qrRs:t:TuUvw:x:X@b:",
        "out: output-file: move names-stdin recurse-paths recurse-patterns temp-path: logfile-path: split-size: \
         suffixes: password: exclude: include:",
        Operands::Archive,
    )
    .editing(&["O", "out", "output-file", "b", "temp-path", "logfile-path"])
    .edited_by(&["m", "move"])
    .listing(&["@", "names-stdin"])
    .recursive(),
    usage(&["ar", "gcc-ar", "llvm-ar"], "abcdDfiIlmMNopPqrsSTtuUvVx", "output:", Operands::Archive)
        .editing(&["output"])
        .here(&["x"], &["output"]),
    usage(&["jar"], "ctxuf:vm:e:0MniC:", "create list extract update file: manifest: dir:", Operands::Read)
        .editing(&["f", "file", "C", "dir"])
        .recursive()
        .here(&["x", "extract"], &["dir"]),
    usage(
        &["cpio"],
        "0aAbBcC:dD:E:fF:H:iI:klLmM:noO:pR:rsStuvVz",
        "file: directory: pattern-file: null extract create pass-through",
        Operands::Edit,
    )
    .reading(&["I", "E", "pattern-file"])
    .editing(&["O", "F", "file", "D", "directory"])
    .listing(&["o", "create", "p", "pass-through"])
    .here(&["i", "extract"], &["D", "directory"]),
    usage(&["7z", "7za", "7zr", "unrar", "rar"], "o:p:m:t:x:", "", Operands::EditAfter(&[]))
        .editing(&["o"])
        .recursive()
        .here(&[], &["o"]),
    usage(&["lzma_alone", "unar", "dpkg-deb"], "", "", Operands::Edit),
    // Downloads and connections. A key or a certificate that is used is not shown.
    usage(&["curl"], CURL, CURL_LONG, Operands::None)
        .reading(CURL_READS)
        .editing(CURL_EDITS)
        .here(&["O", "remote-name", "remote-name-all"], &["output-dir"]),
    usage(
        &["wget", "wget2"],
        "O:P:o:a:i:e:A:R:D:I:X:l:t:T:U:w:Q:B:bcdFhHkKLmnNpqrSvVxE",
        "output-document: directory-prefix: output-file: append-output: input-file: post-file: body-file: \
         load-cookies: save-cookies: execute: warc-file: warc-dedup: warc-tempdir: rejected-log: hsts-file: config: \
         post-data: header: user-agent: spider certificate: private-key: ca-certificate: dot-style: progress: tries: \
         timeout: referer: method: body-data: user: password: base: level: accept: reject: include-directories: wait:",
        Operands::None,
    )
    .reading(&[
        "i",
        "input-file",
        "post-file",
        "body-file",
        "load-cookies",
        "warc-dedup",
        "config",
    ])
    .editing(&[
        "O",
        "output-document",
        "P",
        "directory-prefix",
        "o",
        "output-file",
        "a",
        "append-output",
        "save-cookies",
        "warc-file",
        "warc-tempdir",
        "rejected-log",
        "hsts-file",
    ])
    .here(&[], &["O", "output-document", "P", "directory-prefix", "spider"]),
    usage(&["ssh", "slogin", "autossh"], "46AaCfGgKkMNnqsTtVvXxYyB:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", "", Operands::None)
        .reading(&["F"])
        .editing(&["E"]),
    usage(&["ssh-keygen"], "", "", Operands::EditedWords(&["-f:"])),
    usage(&["scp"], "346ABCc:D:F:i:J:l:o:pP:qrRS:TvX:", "", Operands::Copy(&[]))
        .reading(&["F"])
        .recursive_with(&["r"]),
    usage(
        &["gpg", "gpg2"],
        "abcdefhkKno:qr:R:stu:vz:N:",
        "output: homedir: options: logger-file: log-file: status-file: attribute-file: recipient: local-user: \
         passphrase: passphrase-file: passphrase-fd: keyring: primary-keyring: secret-keyring: trustdb-name: \
         batch yes armor detach-sign decrypt encrypt sign verify export import enarmor dearmor",
        Operands::Read,
    )
    .reading(&["options", "passphrase-file"])
    .editing(&[
        "o",
        "output",
        "homedir",
        "logger-file",
        "log-file",
        "status-file",
        "attribute-file",
        "keyring",
        "primary-keyring",
        "secret-keyring",
        "trustdb-name",
    ]),
    usage(
        &["npm", "pnpm", "yarn"],
        "C:",
        "cache: logs-dir: prefix: dir: userconfig: globalconfig: pack-destination: tmp: cache-folder: modules-folder:",
        Operands::None,
    )
    .editing(&[
        "C",
        "cache",
        "logs-dir",
        "prefix",
        "dir",
        "userconfig",
        "globalconfig",
        "pack-destination",
        "tmp",
        "cache-folder",
        "modules-folder",
    ]),
    usage(
        &["pip", "pip3"],
        "d:t:r:c:e:",
        "log: log-file: local-log: cache-dir: target: root: prefix: dest: wheel-dir: build: src: report: requirement: \
         constraint: editable:",
        Operands::None,
    )
    .reading(&["r", "requirement", "c", "constraint", "e", "editable"])
    .editing(&[
        "d",
        "t",
        "log",
        "log-file",
        "local-log",
        "cache-dir",
        "target",
        "root",
        "prefix",
        "dest",
        "wheel-dir",
        "build",
        "src",
        "report",
    ]),
    // Commands that run another one, and have files of their own.
    usage(&["time", "gtime"], "af:o:pqvV", "append format: output: portability quiet verbose", Operands::Command(0))
        .editing(&["o", "output"]),
    usage(
        &["flock"],
        "c:eE:Fnosuw:x",
        "close command: conflict-exit-code: exclusive nb no-fork nonblock shared timeout: unlock verbose wait:",
        Operands::Command(1),
    ),
    usage(&["logsave"], "asv", "", Operands::Command(1)),
    usage(
        &["strace", "ltrace"],
        "a:A:b:CcdDe:E:fFhiI:kl:no:O:p:P:qrs:S:tTu:U:vVwxX:yzZ",
        "output: output-append-mode output-separately attach: trace: env: user: string-limit:",
        Operands::Command(0),
    )
    .editing(&["o", "output"]),
    usage(
        &["valgrind"],
        "dhqv",
        "tool: log-file: xml-file: xml: suppressions: massif-out-file: callgrind-out-file: cachegrind-out-file: \
         dhat-out-file: leak-check: log-fd: log-socket:",
        Operands::Command(0),
    )
    .reading(&["suppressions"])
    .editing(&[
        "log-file",
        "xml-file",
        "massif-out-file",
        "callgrind-out-file",
        "cachegrind-out-file",
        "dhat-out-file",
    ]),
    usage(
        &["perf"],
        "o:e:F:i:p:C:c:g::ar:",
        "output: input: event: freq: pid: repeat:",
        Operands::Command(0),
    )
    .reading(&["i", "input"])
    .editing(&["o", "output"]),
    usage(
        &["script", "scriptlive", "scriptreplay"],
        "aB:c:eE:fI:m:O:o:qt::T:hVd:",
        "append log-io: command: return echo: flush force log-in: logging-format: log-out: output-limit: quiet \
         timing:: log-timing:",
        Operands::Edit,
    )
    .editing(&["B", "log-io", "I", "log-in", "O", "log-out", "t", "timing", "T", "log-timing"]),
    // Commands that write.
    usage(&["find", "gfind", "bfs"], "", "", Operands::None).editing(FIND),
    usage(&["history"], "acd:npr:sw", "", Operands::Read).edited_by(&["a", "w"]),
    usage(&["mktemp"], "dp:qtuV", "directory dry-run quiet suffix: tmpdir::", Operands::Edit)
        .editing(&["p", "tmpdir"]),
    usage(&["tempfile"], "d:m:n:p:s:", "directory: mode: name: prefix: suffix:", Operands::Edit)
        .editing(&["d", "directory", "n", "name"]),
    usage(&["ptx"], "AFGg:i:o:M:ROrS:Ttw:W:b:fI:", "", Operands::InOut)
        .reading(&["i", "o", "b"])
        .editing(&["I"]),
    usage(&["savelog"], "c:CdD:g:jJlm:npqr:t:u:x:", "", Operands::Edit),
    usage(&["fallocate"], "cdil:no:pvxz", "length: offset:", Operands::Edit),
    usage(
        &["sponge", "rename", "rename.ul", "file-rename", "prename", "perl-rename", "mmv", "vidir"],
        "a",
        "",
        Operands::Edit,
    ),
    usage(&["mount", "bindfs"], "o:t:O:T:", "options: types:", Operands::Copy(&[])),
    usage(
        &["pandoc"],
        "o:f:t:r:w:d:H:A:B:",
        "output: from: to: defaults: template: log: extract-media:",
        Operands::Read,
    )
    .reading(&["d", "defaults", "template", "H", "A", "B"])
    .editing(&["o", "output", "log", "extract-media"]),
    usage(
        &["yq"],
        "iP:nropCMsjI:e:",
        "inplace from-file: output-format: input-format:",
        Operands::ReadAfter(&["from-file"]),
    )
    .reading(&["from-file"])
    .edited_by(&["i", "inplace"]),
    usage(
        &["msgcat", "msgfmt", "msgmerge", "msgconv", "msgattrib", "msgen", "msguniq", "msgcomm", "msggrep", "xgettext"],
        "o:d:f:D:Upj",
        "output-file: files-from: directory: update",
        Operands::Read,
    )
    .reading(&["f", "files-from"])
    .listing(&["f", "files-from"])
    .editing(&["o", "output-file"])
    .edited_by(&["U", "update"]),
    // Commands that read.
    usage(&["man"], "lP:H::M:S:s:e:L:m:p:E:C:R:adDfIiktTuWwX::Z7", "local-file pager: config-file:", Operands::Read)
        .reading(&["C", "config-file"]),
    usage(
        &[
            "soelim", "nroff", "troff", "groff", "tbl", "eqn", "neqn", "pic", "preconv", "refer", "colcrt", "col",
            "hexyl", "highlight", "pygmentize", "source-highlight", "glow", "mdcat", "xmllint", "xsltproc", "html2text",
            "w3m", "lynx", "elinks", "antiword", "pdftotext", "exiftool", "enscript", "a2ps", "lpr", "lp",
            "dos2unix", "unix2dos", "recode", "mdless", "vimdiff", "vimpager", "numfmt", "xclip",
        ],
        "",
        "",
        Operands::Read,
    ),
];

const CURL: &str = "#012346:abc:C:d:D:e:E:fF:gGhH:iIjJkK:lLm:MnNo:OpP:qQ:r:RsSt:T:u:U:vVw:x:X:y:Y:z:Z";
const CURL_LONG: &str = "abstract-unix-socket: alt-svc: cacert: capath: cert: cert-type: ciphers: config: \
    connect-timeout: connect-to: cookie: cookie-jar: crlfile: data: data-ascii: data-binary: data-raw: data-urlencode: \
    dump-header: egd-file: engine: etag-compare: etag-save: fail fail-with-body form: form-string: get globoff head \
    header: hsts: include insecure interface: ipfs-gateway: json: keepalive-time: key: key-type: libcurl: location \
    limit-rate: max-filesize: max-redirs: max-time: netrc netrc-file: noproxy: output: output-dir: parallel pass: \
    pinnedpubkey: preproxy: proto: proxy: proxy-cacert: proxy-cert: proxy-header: proxy-key: proxy-user: pubkey: \
    quote: \
    random-file: range: referer: remote-name remote-name-all remote-header-name request: request-target: resolve: \
    retry: retry-delay: retry-max-time: show-error silent socks5: ssh-pubkey: stderr: telnet-option: time-cond: \
    tlsuser: trace: trace-ascii: trace-config: unix-socket: upload-file: url: url-query: user: user-agent: variable: \
    verbose version write-out:";
const CURL_READS: &[&str] = &[
    "T",
    "upload-file",
    "K",
    "config",
    "d",
    "data",
    "data-ascii",
    "data-binary",
    "data-urlencode",
    "json",
    "url-query",
    "variable",
    "F",
    "form",
    "H",
    "header",
    "proxy-header",
    "w",
    "write-out",
    "b",
    "cookie",
    "etag-compare",
    "hsts",
    "alt-svc",
];
const CURL_EDITS: &[&str] = &[
    "o",
    "output",
    "output-dir",
    "c",
    "cookie-jar",
    "D",
    "dump-header",
    "trace",
    "trace-ascii",
    "stderr",
    "libcurl",
    "hsts",
    "alt-svc",
    "etag-save",
];
