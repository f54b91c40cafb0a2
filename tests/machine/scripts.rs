//! Scripts: what they expect, press and write.

use super::*;

#[test]
fn scripts_expect_and_say_what_they_found() {
    let body = "mov ax, 0BEEFh\n call print_ax\n mov ah, 0\n int 16h\n call print_ax\n jmp quit";
    let run = |text: &str| {
        let mut machine = machine(body);
        Playback::new(text.parse().expect("a script")).run(&mut machine, &LIMIT, &mut (), &mut ())
    };
    assert_eq!(run("expect BEEF\nkey a\nexpect \"BEEF 1E61\""), Played::Stopped(Stop::Exited(0x61)));
    let failed = run("key a\nexpect FEED");
    assert!(
        matches!(&failed, Played::Failed(2, why) if why.contains("does not hold \"FEED\"") && why.contains("1E61"))
    );
    assert_eq!(run("shot x.png"), Played::Unwritten(1, "there is no place for x.png".to_owned()));
    assert_eq!(run("at 500\nexpect BEEF\npress a\nrelease a"), Played::Stopped(Stop::Exited(0x61)));
}
