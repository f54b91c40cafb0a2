//! Findings as SARIF 2.1.0, which editors and the code scanning of GitHub read.
//! Source of the format: OASIS, Static Analysis Results Interchange Format Version 2.1.0.

use oxbox::inspect::{Finding, SourcePlace};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns a log with one run. Findings outside of the source have only their text.
pub(super) fn log(findings: &[Finding]) -> Value {
    let rules: BTreeMap<&str, &str> =
        findings.iter().map(|finding| (finding.id, finding.kind.name())).collect();
    let rules = rules.into_iter().map(|(id, kind)| json!({ "id": id, "properties": { "tags": [kind] } }));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "oxbox", "version": env!("CARGO_PKG_VERSION"), "rules": rules.collect::<Vec<_>>(),
            } },
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let locations = finding.place.iter().filter_map(location).collect::<Vec<_>>();
    let related = finding.note.iter().filter_map(|(place, what)| {
        let mut location = location(place)?;
        location["message"] = json!({ "text": what });
        Some(location)
    });
    json!({
        "ruleId": finding.id,
        "level": "warning",
        "message": { "text": format!("{}\nhelp: {}", finding.text, finding.help) },
        "locations": locations,
        "relatedLocations": related.collect::<Vec<_>>(),
        "occurrenceCount": finding.times,
    })
}

fn location(place: &SourcePlace) -> Option<Value> {
    let (file, line) = (place.file.as_ref()?, place.line?);
    Some(json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(file) },
        "region": { "startLine": line },
    } }))
}

/// Returns a path as a relative URI reference (RFC 3986).
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.replace('\\', "/")
        .bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
