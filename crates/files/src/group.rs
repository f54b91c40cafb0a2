//! A child and what it starts in its turn. On Unix they are a process group, which ends as a whole; elsewhere only the child does.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// Makes a command the leader of a process group of its own. A signal that a terminal sends to this process's group does not reach it.
pub fn lead(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Whether a child has ended. It stays there until [`end`]: nobody else gets its number, which is its group's, too.
///
/// # Errors
/// Fails if the child was waited for already.
pub fn has_ended(child: &mut Child) -> io::Result<bool> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
    }
    #[cfg(not(unix))]
    Ok(child.try_wait()?.is_some())
}

/// Kills a child and the rest of its group, whatever has ended already, and tells how the child has ended.
///
/// # Errors
/// Fails if the host does not tell that.
pub fn end(child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    if has_ended(child).is_ok() {
        use rustix::process::{Pid, Signal, kill_process_group};
        // None is left, or the child leads no group.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
    child.wait()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::Stdio;

    /// A shell that starts another process, which holds its standard output open.
    fn parent(then: &str) -> (Child, impl Read) {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("sleep 1000 & {then}")]).stdout(Stdio::piped());
        lead(&mut command);
        let mut child = command.spawn().expect("start a shell");
        let stdout = child.stdout.take().expect("its standard output");
        (child, stdout)
    }

    #[test]
    fn a_group_ends_as_a_whole() {
        for (then, is_success) in [("wait", false), ("exit 0", true)] {
            let (mut child, mut stdout) = parent(then);
            while is_success && !has_ended(&mut child).unwrap() {
                std::thread::yield_now();
            }
            assert_eq!(end(&mut child).unwrap().success(), is_success, "{then}");
            // The end of the file comes when the last process has gone.
            assert_eq!(stdout.read(&mut [0]).unwrap(), 0, "{then}");
        }
    }

    #[test]
    fn a_child_that_is_gone_is_left_alone() {
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        assert!(has_ended(&mut child).is_err());
        assert!(end(&mut child).unwrap().success());
    }
}
