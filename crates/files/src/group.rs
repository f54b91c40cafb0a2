//! Process groups: a child and its descendants end together on Unix. Elsewhere only the child ends.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// Makes a command start in a process group of its own. Signals from a terminal to this process's
/// group then do not reach it.
pub fn lead(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Returns whether a child has ended. It remains a zombie until [`end`], so that its number, which
/// is also the group's, is not reused.
///
/// # Errors
/// Fails if the child was already waited for.
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

/// Kills a child and the rest of its group, also if the child has already ended, and returns the
/// child's status.
///
/// # Errors
/// Fails if the host does not report the status.
pub fn end(child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    if has_ended(child).is_ok() {
        use rustix::process::{Pid, Signal, kill_process_group};
        // Fails if no process is left, or if the child leads no group.
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

    /// Starts a shell that starts another process, which keeps the standard output open.
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
            // The pipe ends when the last process has ended.
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
