//! `becket self update`: replaces the programs that `install.sh` has installed with those of a release.

use super::self_version::{installation, refusal};
use crate::args::{Global, SelfUpdateArgs};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::installation::{FULL, InstallMethod, SMALL, target};
use crate::interrupt;
use crate::out::Out;
use crate::release::{
    RELEASES, ReleaseSource, Replacement, VERSION_FILE, archive_name, is_interrupted, path_of, unpack,
};
use crate::report::json;
use crate::report::style::plain;
use crate::session::environment;
use becket_embed::{models, view::Report};
use becket_engine::CancellationToken;
use becket_process::{Command, End, Limits, Program, Runner};
use semver::Version;
use std::cmp::Ordering;
use std::path::Path;
use std::time::Duration;

/// The size limit of an archive, in bytes.
const LARGEST: u64 = 512 * 1024 * 1024;
/// The time limit for a trial run of the new program.
const TRIAL: Duration = Duration::from_secs(30);
/// The exit code of `--check` if there is a newer release.
const NEWER: u8 = 1;

/// Updates, or only checks for an update.
pub(crate) fn run(args: &SelfUpdateArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let copy = installation(around)?;
    let update = Update { args, global, around, out, cancel: CancellationToken::new() };
    if args.check {
        return interrupt::until_done(&update.cancel, update.look(&copy.method));
    }
    if let Some(why) = refusal(&copy.method) {
        return Err(CliError::not_updated(why));
    }
    let InstallMethod::Script { directory } = &copy.method else { return Ok(0) };
    if cfg!(windows) {
        return Err(CliError::not_updated(
            "a program that runs can't be replaced on Windows: install it again",
        ));
    }
    let has_small = copy.small.is_some();
    interrupt::until_done(&update.cancel, update.replace(directory, has_small))
}

struct Update<'a> {
    args: &'a SelfUpdateArgs,
    global: &'a Global,
    around: &'a Surroundings,
    out: &'a Out,
    cancel: CancellationToken,
}

impl Update<'_> {
    /// Returns the source of the releases: the option, the variable, or the project's own.
    fn source(&self) -> Result<ReleaseSource, CliError> {
        let of_variable = self.around.var("BECKET_RELEASES_URL").and_then(|url| url.to_str());
        let url = self.args.releases.as_deref().or(of_variable).unwrap_or(RELEASES);
        let mut options = models::http(&environment(self.around));
        options.user_agent = Some(concat!("becket/", env!("CARGO_PKG_VERSION")).to_owned());
        ReleaseSource::of(url, &options).map_err(CliError::not_updated)
    }

    /// Returns the requested version of the release.
    async fn wanted(&self, source: &ReleaseSource) -> Result<Version, CliError> {
        if let Some(version) = &self.args.version {
            return Ok(version.clone());
        }
        let path = path_of(None, VERSION_FILE);
        let text = source.text(&path, &self.cancel).await.map_err(CliError::not_updated)?;
        Version::parse(text.trim()).map_err(|error| {
            CliError::not_updated(format!("`{}` is not a version: {error}", source.name(&path)))
        })
    }

    async fn look(&self, method: &InstallMethod) -> CommandResult {
        let unknown = |error: CliError| CliError::Usage { why: error.to_string() };
        let latest = self.wanted(&self.source().map_err(unknown)?).await.map_err(unknown)?;
        let is_newer = latest > own();
        let mut text = match is_newer {
            true => format!("becket {latest} is there; this is {}", own()),
            false => format!("becket {} is the latest release", own()),
        };
        if is_newer && let Some(command) = method.update_command() {
            text.push_str(&format!("\nupdate with `{command}`"));
        }
        self.report(&latest, false, &text)?;
        Ok(if is_newer { NEWER } else { 0 })
    }

    async fn replace(&self, directory: &Path, has_small: bool) -> CommandResult {
        let replacement = Replacement::begin(directory).map_err(CliError::not_updated)?;
        if is_interrupted(directory) && replacement.finish_interrupted().map_err(CliError::not_updated)? {
            self.out.note("finished an update that was interrupted\n");
        }
        let source = self.source()?;
        let wanted = self.wanted(&source).await?;
        let is_named = self.args.version.is_some();
        match wanted.cmp(&own()) {
            Ordering::Equal => {
                self.report(&wanted, false, &format!("becket {wanted} is installed already"))?;
                return Ok(0);
            }
            Ordering::Less if !is_named => {
                let text = format!("becket {} is newer than the latest release, {wanted}", own());
                self.report(&wanted, false, &text)?;
                return Ok(0);
            }
            Ordering::Less | Ordering::Greater => {}
        }
        self.install(&replacement, &source, &wanted, has_small).await?;
        let text = format!("updated from {} to {wanted} in {}", own(), self.around.short(directory));
        self.report(&wanted, true, &text)?;
        Ok(0)
    }

    /// Downloads, verifies, unpacks, tries out and installs the programs.
    async fn install(
        &self,
        replacement: &Replacement,
        source: &ReleaseSource,
        wanted: &Version,
        has_small: bool,
    ) -> Result<(), CliError> {
        let staging = replacement.stage().map_err(CliError::not_updated)?;
        let folder = archive_name(&target());
        let path = path_of(self.args.version.as_ref(), &format!("{folder}.tar.gz"));
        let expected = source.text(&format!("{path}.sha256"), &self.cancel).await;
        let expected = expected.map_err(CliError::not_updated)?;
        let expected = expected.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let archive = staging.archive();
        let found =
            source.file(&path, &archive, LARGEST, &self.cancel).await.map_err(CliError::not_updated)?;
        if expected != found {
            return Err(CliError::not_updated(format!(
                "`{}` has the SHA-256 sum {found} instead of `{expected}`",
                source.name(&path)
            )));
        }
        let programs = unpack(&archive, &folder, &staging.programs()).map_err(CliError::not_updated)?;
        if has_small && !programs.contains(&FULL) {
            return Err(CliError::not_updated(format!("`{folder}.tar.gz` does not contain `{FULL}`")));
        }
        let reported = self.tried(&staging.programs().join(SMALL)).await.map_err(CliError::not_updated)?;
        if reported != format!("becket {wanted}") {
            return Err(CliError::not_updated(format!(
                "the program of `{}` reports `{reported}` instead of `becket {wanted}`",
                source.name(&path)
            )));
        }
        staging.put_in_place().map_err(CliError::not_updated)
    }

    /// Runs a new program, and returns the version that it reports.
    async fn tried(&self, program: &Path) -> Result<String, String> {
        let failed =
            |why: &dyn std::fmt::Display| format!("the new program does not run on this machine: {why}");
        let directory = program.parent().unwrap_or(program);
        let command = Command::new(Program::exec(program, ["--version"]), directory);
        let limits = Limits { deadline: Some(TRIAL), ..Limits::default() };
        let runner = Runner::new();
        let tried = runner.run(&command, &limits, &self.cancel, &mut |_| ()).await;
        runner.all_gone().await;
        let tried = tried.map_err(|error| failed(&error))?;
        match tried.end {
            End::Exited(0) => Ok(plain(String::from_utf8_lossy(&tried.stdout.bytes).trim())),
            End::Exited(code) => Err(failed(&format!("it ended with exit code {code}"))),
            End::Signaled(signal) => Err(failed(&format!("signal {signal} ended it"))),
            End::TimedOut => Err(failed(&format!("it did not end within {} s", TRIAL.as_secs()))),
            End::Cancelled => Err("it was interrupted".to_owned()),
            End::Lost => Err(failed(&"its exit status is not known")),
        }
    }

    fn report(&self, release: &Version, is_updated: bool, text: &str) -> Result<(), CliError> {
        if self.global.json {
            let report = Report::SelfUpdate {
                version: env!("CARGO_PKG_VERSION"),
                release: release.to_string(),
                is_newer: *release > own(),
                updated: is_updated,
            };
            json::print(&report, self.out)?;
        } else {
            self.out.print(&format!("{}\n", plain(text)))?;
        }
        Ok(())
    }
}

/// Returns the version of this program.
fn own() -> Version {
    // INVARIANT: cargo accepts only valid versions of packages.
    Version::parse(env!("CARGO_PKG_VERSION")).unwrap_or(Version::new(0, 0, 0))
}
