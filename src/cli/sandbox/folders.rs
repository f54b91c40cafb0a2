//! The files and folders that a confined process may access, enforced by Landlock.
//!
//! Nothing else can be opened, created, renamed or removed, under any name, and no TCP connection
//! can be made. Open files stay open. Landlock does not prevent checking whether a file exists, and
//! its length.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
    Scope, path_beneath_rules,
};
use oxbox::atomic_file;

use super::Needs;

/// The requested version; an older kernel enforces less.
const LATEST: ABI = ABI::V6;

/// Files and folders, and the permitted access to them and everything below.
type Rule = (Vec<PathBuf>, BitFlags<AccessFs>);

pub(super) fn rules(needs: &Needs, room: Option<&Path>) -> Vec<Rule> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    // A new file beside the target replaces it.
    let write = AccessFs::WriteFile
        | AccessFs::MakeReg
        | AccessFs::RemoveFile
        | AccessFs::Truncate
        | AccessFs::ReadDir;
    // No execution of host programs, no devices, no links.
    let change = read | write | AccessFs::MakeDir | AccessFs::RemoveDir | AccessFs::Refer;
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev;
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for output in needs.outputs.iter().filter(|path| !atomic_file::is_stdout(path)) {
        match atomic_file::folder_of(output) {
            Ok(Some(folder)) => folders.push(folder),
            _ => files.push(output.clone()),
        }
    }
    let existing = |path: &PathBuf| path.ancestors().find(|folder| is_there(folder)).map(Path::to_owned);
    let new_folders = needs.folders.iter().map(|path| existing(path).unwrap_or_else(|| ".".into())).collect();
    let mut rules = vec![
        (needs.reads.clone(), read),
        (needs.drives.clone(), change),
        (folders, write),
        (files, AccessFs::ReadFile | AccessFs::WriteFile),
        (new_folders, write | AccessFs::MakeDir),
        // A panic prints the lines of its backtrace.
        (std::env::current_exe().into_iter().collect(), AccessFs::ReadFile.into()),
        // The number of processors for this process.
        (
            paths(&[
                "/proc/self/cgroup",
                "/proc/self/mountinfo",
                "/sys/fs/cgroup",
                "/sys/devices/system/cpu",
            ]),
            read,
        ),
        // Resolving names in a drive uses it; data of other processes cannot be read.
        (paths(&["/proc"]), AccessFs::ReadDir.into()),
        (paths(&["/dev/null", "/dev/tty"]), device),
    ];
    if let Some(room) = room {
        rules.push((vec![room.to_owned()], change));
        // The scratch folder itself is removed at the end.
        rules.push((room.parent().into_iter().map(Path::to_owned).collect(), AccessFs::RemoveDir.into()));
    }
    if let Some(programs) = &needs.children {
        let execute = read | AccessFs::Execute;
        rules.push((programs.clone(), execute));
        rules.push((room.into_iter().map(Path::to_owned).collect(), change | AccessFs::Execute));
    }
    rules
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

fn is_there(folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && folder.is_dir()
}

/// Reports once why the process is not confined.
fn say_once(why: &str) {
    static SAID: std::sync::Once = std::sync::Once::new();
    SAID.call_once(|| {
        log::warn!("this run is not confined to its files: {why}; --no-sandbox turns this message off");
    });
}

/// Applies the rules to this thread and its later children; nothing without Landlock.
pub(super) fn apply(rules: &[Rule]) {
    let confined = || -> Result<_, landlock::RulesetError> {
        let ruleset = Ruleset::default()
            .handle_access(AccessFs::from_all(LATEST))?
            .handle_access(AccessNet::from_all(LATEST))?
            .scope(Scope::from_all(LATEST))?;
        let mut ruleset = ruleset.create()?;
        for (paths, access) in rules {
            ruleset = ruleset.add_rules(path_beneath_rules(paths, *access))?;
        }
        ruleset.restrict_self()
    };
    match confined() {
        Ok(status) if status.ruleset != RulesetStatus::NotEnforced => {
            log::debug!("Landlock: {:?}", status.ruleset);
        }
        Ok(_) => say_once("this kernel has no Landlock"),
        Err(error) => say_once(&format!("Landlock: {error}")),
    }
}
