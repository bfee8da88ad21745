//! Copies as each installer creates them.

use super::*;
use tempfile::TempDir;

/// Creates a directory with files.
fn with(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for (path, text) in files {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    (directory, root)
}

fn method(program: &str, files: &[(&str, &str)]) -> InstallMethod {
    let (_directory, root) = with(files);
    fs::create_dir_all(root.join(program).parent().unwrap()).unwrap();
    fs::write(root.join(program), "12345").unwrap();
    Installation::of(&root.join(program)).method
}

#[test]
fn the_files_of_an_installer_name_it() {
    let record = |size: &str| format!("becket/__init__.py,sha256=x,1\n../../../bin/becket,sha256=x,{size}\n");
    let venv = "lib/python3.11/site-packages/becket-0.1.0.dist-info";
    let wheel = |below: &str, installer: &str, size: &str| {
        let files = [
            (format!("{below}/{venv}/RECORD"), record(size)),
            (format!("{below}/{venv}/INSTALLER"), installer.to_owned()),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        method(&format!("{below}/bin/becket"), &files)
    };
    assert_eq!(wheel("venv", "pip\n", "5"), InstallMethod::Wheel(WheelInstaller::Pip));
    assert_eq!(wheel("venv", "uv", "5"), InstallMethod::Wheel(WheelInstaller::Uv));
    assert_eq!(wheel("share/uv/tools/becket", "uv", "5"), InstallMethod::Wheel(WheelInstaller::UvTool));
    assert_eq!(wheel("pipx/venvs/becket", "pip", "5"), InstallMethod::Wheel(WheelInstaller::Pipx));
    // Another program was put in its place.
    assert_eq!(wheel("venv", "pip", "6"), InstallMethod::Unknown);

    let listed = ("var/lib/dpkg/info/becket.list", "/.\n/usr/bin\n/usr/bin/becket-full\n");
    assert_eq!(method("usr/bin/becket-full", &[listed]), InstallMethod::Debian);
    assert_eq!(method("opt/becket-full", &[listed]), InstallMethod::Unknown);

    let receipt = ("brew/Cellar/becket/0.1.0/INSTALL_RECEIPT.json", "{}");
    assert_eq!(method("brew/Cellar/becket/0.1.0/bin/becket", &[receipt]), InstallMethod::Homebrew);
    assert_eq!(method("brew/Cellar/becket/0.1.0/bin/becket", &[]), InstallMethod::Unknown);

    for (root, place) in [
        ("work/node_modules", NpmPlace::Project),
        ("usr/lib/node_modules", NpmPlace::Global),
        ("home/.npm/_npx/1a2b/node_modules", NpmPlace::Cache),
    ] {
        let package = format!("{root}/@becket/linux-x64-gnu/package.json");
        let program = format!("{root}/@becket/linux-x64-gnu/bin/becket-full");
        assert_eq!(method(&program, &[(&package, "{}")]), InstallMethod::Npm(place));
        assert_eq!(method(&program, &[]), InstallMethod::Unknown);
    }

    let tag = ("clone/target/CACHEDIR.TAG", "# This file is a cache directory tag created by cargo.\n");
    let manifest = ("clone/crates/becket-cli/Cargo.toml", "");
    let built = method("clone/target/debug/becket", &[tag, manifest]);
    assert!(matches!(&built, InstallMethod::Build { clone: Some(clone) } if clone.ends_with("clone")));
    assert_eq!(method("clone/target/debug/becket", &[tag]), InstallMethod::Build { clone: None });

    let marker = ("bin/.becket-install.json", r#"{"installer": "install.sh"}"#);
    assert!(matches!(method("bin/becket-full", &[marker]), InstallMethod::Script { .. }));
    for broken in ["", "{", r#"{"installer": "other"}"#, "[]"] {
        let marker = ("bin/.becket-install.json", broken);
        assert_eq!(method("bin/becket-full", &[marker]), InstallMethod::Unknown, "{broken}");
    }
}

#[test]
fn the_record_of_cargo_names_the_source() {
    for (source, arguments) in [
        ("path+file:///work/becket/crates/becket-cli", "--path /work/becket/crates/becket-cli"),
        ("git+https://example.org/becket?branch=main#0123", "--git https://example.org/becket becket-cli"),
        ("registry+https://example.org/index", "becket-cli"),
    ] {
        let record = format!(
            "[v1]\n\"ripgrep 1.0.0 (x)\" = [\"rg\"]\n\"becket-cli 0.1.0 ({source})\" = [\"becket\"]\n"
        );
        let files = [("root/.crates.toml", &*record)];
        assert_eq!(method("root/bin/becket", &files), InstallMethod::Cargo { source: arguments.to_owned() });
        assert_eq!(method("root/bin/becket-full", &files), InstallMethod::Unknown);
    }
}

#[test]
fn the_small_program_is_the_one_beside_the_full_one() {
    let (_directory, root) = with(&[("bin/becket", ""), ("bin/becket-full", ""), ("alone/becket", "")]);
    let both = Installation::of(&root.join("bin").join(FULL));
    assert_eq!(both.small, Some(root.join("bin").join(SMALL)));
    assert_eq!(Installation::of(&root.join("alone").join(SMALL)).small, None);
}

#[test]
fn a_manager_is_named_by_a_command_and_nothing_by_none() {
    assert_eq!(InstallMethod::Unknown.update_command(), None);
    let managers = [
        (InstallMethod::Debian, "apt"),
        (InstallMethod::Homebrew, "brew upgrade"),
        (InstallMethod::Npm(NpmPlace::Project), "npm update"),
        (InstallMethod::Wheel(WheelInstaller::Pip), "pip install --upgrade"),
        (InstallMethod::Cargo { source: "becket-cli".to_owned() }, "cargo install becket-cli"),
        (InstallMethod::Build { clone: None }, "git pull"),
    ];
    for (method, command) in managers {
        assert!(method.update_command().unwrap().starts_with(command), "{method:?}");
    }
}
