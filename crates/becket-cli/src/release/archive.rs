//! The archive of a release: `becket-TARGET.tar.gz` with the programs and some texts in a folder of that name.

use crate::installation::{FULL, SMALL};
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use tar::{Archive, Entry, EntryType};

/// The size limit of a program, in bytes.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// The reason why an archive was not unpacked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("`{name}` can't be unpacked: {why}")]
    Broken { name: String, why: io::Error },
    #[error("`{name}` does not contain `{program}`")]
    Incomplete { name: String, program: &'static str },
    #[error("`{name}` contains `{program}` in an unexpected way: {why}")]
    Odd { name: String, program: &'static str, why: &'static str },
    #[error("`{}` can't be written: {why}", path.display())]
    Unwritten { path: PathBuf, why: io::Error },
}

/// Writes the programs of an archive into a directory, and returns their names. Other files are not unpacked.
pub(crate) fn unpack(archive: &Path, folder: &str, to: &Path) -> Result<Vec<&'static str>, ArchiveError> {
    let name = format!("{folder}.tar.gz");
    let broken = |why| ArchiveError::Broken { name: name.clone(), why };
    let file = File::open(archive).map_err(broken)?;
    let mut archive = Archive::new(GzDecoder::new(BufReader::new(file)));
    let mut written = Vec::new();
    for entry in archive.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.into_owned();
        let Some(program) = [SMALL, FULL].into_iter().find(|program| path == Path::new(folder).join(program))
        else {
            continue;
        };
        let odd = |why| ArchiveError::Odd { name: name.clone(), program, why };
        if entry.header().entry_type() != EntryType::Regular {
            return Err(odd("it is not a file"));
        }
        if written.contains(&program) {
            return Err(odd("it is there twice"));
        }
        if entry.size() > LARGEST {
            return Err(odd("it is too large"));
        }
        write(entry, &to.join(program), &broken)?;
        written.push(program);
    }
    // The rest is read to verify the gzip checksum, which follows it.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    if !written.contains(&SMALL) {
        return Err(ArchiveError::Incomplete { name, program: SMALL });
    }
    Ok(written)
}

fn write(
    mut entry: Entry<'_, impl Read>,
    to: &Path,
    broken: &impl Fn(io::Error) -> ArchiveError,
) -> Result<(), ArchiveError> {
    let unwritten = |why| ArchiveError::Unwritten { path: to.to_owned(), why };
    let mut file = File::create_new(to).map_err(unwritten)?;
    let mut piece = vec![0; 64 * 1024];
    loop {
        // Reading fails because of the archive, and writing because of the disk.
        match entry.read(&mut piece).map_err(broken)? {
            0 => break,
            read => io::Write::write_all(&mut file, &piece[..read]).map_err(unwritten)?,
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o755)).map_err(unwritten)?;
    }
    file.sync_all().map_err(unwritten)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tar::{Builder, Header};

    /// Creates an archive with these files; `None` is a link.
    fn archive(directory: &Path, files: &[(&str, Option<&str>)]) -> PathBuf {
        let path = directory.join("archive");
        let mut builder = Builder::new(GzEncoder::new(File::create(&path).unwrap(), Compression::fast()));
        for (name, text) in files {
            let mut header = Header::new_gnu();
            header.set_mode(0o755);
            header.set_size(text.map_or(0, str::len) as u64);
            if text.is_none() {
                header.set_entry_type(EntryType::Symlink);
                header.set_link_name("/etc/passwd").unwrap();
            }
            // The builder refuses a path that leaves the folder, but other archivers may not.
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_cksum();
            builder.append(&header, text.unwrap_or_default().as_bytes()).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap();
        path
    }

    fn unpacked(files: &[(&str, Option<&str>)]) -> Result<Vec<String>, String> {
        let directory = tempfile::tempdir().unwrap();
        let to = directory.path().join("to");
        std::fs::create_dir(&to).unwrap();
        unpack(&archive(directory.path(), files), "becket-here", &to).map_err(|error| error.to_string())?;
        let names =
            std::fs::read_dir(&to).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }

    #[test]
    fn the_programs_are_unpacked_and_nothing_else() {
        let (small, full) = (format!("becket-here/{SMALL}"), format!("becket-here/{FULL}"));
        let both = unpacked(&[
            (&full, Some("full")),
            ("becket-here/README.md", Some("text")),
            ("becket-here/../becket", Some("outside")),
            ("becket", Some("outside")),
            (&small, Some("small")),
        ]);
        assert_eq!(both.unwrap(), [SMALL, FULL]);
        assert_eq!(unpacked(&[(&small, Some(""))]).unwrap(), [SMALL]);
        assert!(unpacked(&[(&full, Some(""))]).unwrap_err().contains("does not contain"));
        assert!(unpacked(&[]).unwrap_err().contains("does not contain"));
        assert!(unpacked(&[(&small, None)]).unwrap_err().contains("not a file"));
        assert!(unpacked(&[(&small, Some("")), (&small, Some(""))]).unwrap_err().contains("twice"));
    }

    #[test]
    fn a_cut_archive_is_an_error_wherever_it_is_cut() {
        let directory = tempfile::tempdir().unwrap();
        let text = "text".repeat(100);
        let path = archive(directory.path(), &[(&format!("becket-here/{SMALL}"), Some(&text))]);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let to = tempfile::tempdir().unwrap();
            assert!(unpack(&path, "becket-here", to.path()).is_err(), "{length}");
        }
    }
}
