//! Changes in text form: `ax=5`, `byte board=58h`.

use super::debuggee::Debuggee;
use oxbox::inspect::RegisterPart;

pub(crate) fn change(debuggee: &mut Debuggee, line: &str) -> Result<String, String> {
    let (target, value) = line.split_once('=').ok_or("write a target, = and a value: ax=5")?;
    let value = debuggee.evaluate(value)?.get();
    let target = target.trim();
    let mut registers = debuggee.registers().clone();
    if let Ok(part) = target.parse::<RegisterPart>() {
        part.set(&mut registers, value as u32);
        debuggee.timeline.set_registers(&registers);
        return Ok(format!("{target} is {value:X}h now: a new branch of history"));
    }
    if target.eq_ignore_ascii_case("ip") {
        registers.ip = value as u32 & 0xFFFF;
        debuggee.timeline.set_registers(&registers);
        return Ok(format!("ip is {value:X}h now: a new branch of history"));
    }
    let place = debuggee.place_of(target)?;
    debuggee.timeline.write_memory(place.address(), &value.to_le_bytes()[..place.bytes.into()]);
    Ok(format!("{target} is {value:X}h now: a new branch of history"))
}
