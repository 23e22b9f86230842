//! Witness cosignatures on signed notes: which witness saw how much of a chain, and when.

use super::fault::{Fault, cut, is_longer, quoted};
use super::note::{Note, is_signer_name, key_id};
use crate::bytes::from_base64;
use crate::canonical::by_utf16;
use crate::signature::verifies;
use serde::Serialize;

const WITNESSES_MAX: usize = 64;
const NAME_CHARS_MAX: usize = 200;
const KEY_ID_CHARS: usize = 8;
const COSIGNATURE_TYPE: u8 = 4;
const TIME_BYTES: usize = 8;
const COSIGNATURE_BYTES: usize = 72;
const SECONDS_MAX: u64 = (1 << 53) - 1;

/// How far witnesses you trust have cosigned a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Witnessed {
    /// Records up to this one are cosigned by as many witnesses as required, or by at least one.
    pub size: u64,
    /// Each witness, the furthest first.
    pub by: Vec<WitnessSight>,
}

/// What one witness has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WitnessSight {
    /// Its name.
    pub name: String,
    /// How many records it has seen.
    pub size: u64,
    /// When it cosigned that, in Unix seconds.
    pub at_seconds: u64,
}

#[derive(Default)]
pub(crate) struct Witnesses {
    needed: usize,
    keys: Vec<WitnessKey>,
}

struct WitnessKey {
    text: String,
    name: String,
    key_id: String,
    raw: [u8; 32],
    /// Size and time of its newest cosignature.
    newest: Option<(u64, u64)>,
}

impl Witnesses {
    pub fn trust(&mut self, texts: &[String], needed: usize) -> Result<(), Fault> {
        self.needed = needed;
        for text in texts {
            let key = WitnessKey::read(text)?;
            if !self.keys.iter().any(|known| known.text == key.text) {
                self.keys.push(key);
            }
        }
        let count = self.keys.len();
        if count > WITNESSES_MAX {
            return Err(Fault::new(format!("more than {WITNESSES_MAX} keys of witnesses are given")));
        }
        if needed > count {
            return Err(Fault::new(format!(
                "{needed} witnesses are needed, and the keys of {count} are given"
            )));
        }
        Ok(())
    }

    /// Only for notes whose root was checked against the records.
    pub fn take(&mut self, note: &Note) -> Result<(), Fault> {
        let size = note.tree().size;
        for key in &mut self.keys {
            let mut at_seconds = None;
            for line in
                note.signatures.iter().filter(|line| line.name == key.name && line.key_id == key.key_id)
            {
                let Some(seconds) = key.time_of(note, &line.signature) else {
                    let name = &key.name;
                    let what = format!(
                        "the cosignature of {name} under the checkpoint of size {size} is not its own"
                    );
                    return Err(Fault::new(what));
                };
                at_seconds = at_seconds.max(Some(seconds));
            }
            if let Some(seconds) = at_seconds.filter(|_| key.newest.is_none_or(|(before, _)| size >= before))
            {
                key.newest = Some((size, seconds));
            }
        }
        Ok(())
    }

    pub fn finish(&self) -> Result<(), Fault> {
        let (needed, found) = (self.needed, self.keys.iter().filter(|key| key.newest.is_some()).count());
        if needed <= found {
            return Ok(());
        }
        let found = format!("{found} of yours have cosigned a checkpoint of this chain");
        Err(Fault::new(format!("{needed} witnesses are needed, and {found}")))
    }

    /// None if no witness keys were given.
    pub fn verdict(&self) -> Option<Witnessed> {
        if self.keys.is_empty() {
            return None;
        }
        let sight_of = |key: &WitnessKey| {
            key.newest.map(|(size, at_seconds)| WitnessSight { name: key.name.clone(), size, at_seconds })
        };
        let mut by: Vec<_> = self.keys.iter().filter_map(sight_of).collect();
        by.sort_by(|one, other| other.size.cmp(&one.size).then_with(|| by_utf16(&one.name, &other.name)));
        let size = by.get(self.needed.max(1) - 1).map_or(0, |sight| sight.size);
        Some(Witnessed { size, by })
    }
}

impl WitnessKey {
    fn read(text: &str) -> Result<Self, Fault> {
        let Some((name, stated_id, raw)) = parts_of(text) else {
            let given = cut(&quoted(text), 120);
            let what =
                format!("{given} is no key of a witness; it reads name+id+key, as the witness shows it");
            return Err(Fault::new(what));
        };
        let key_id = key_id(name, COSIGNATURE_TYPE, &raw);
        if key_id != stated_id {
            return Err(Fault::new(format!(
                "the key of the witness {name} has another id than its bytes give"
            )));
        }
        Ok(Self { text: text.to_owned(), name: name.to_owned(), key_id, raw, newest: None })
    }

    /// None if this witness did not sign these bytes.
    fn time_of(&self, note: &Note, bytes: &[u8]) -> Option<u64> {
        if bytes.len() != COSIGNATURE_BYTES {
            return None;
        }
        let (time, signature) = bytes.split_at(TIME_BYTES);
        let seconds = u64::from_be_bytes(time.try_into().ok()?);
        let message = format!("cosignature/v1\ntime {seconds}\n{}", note.signed());
        (seconds <= SECONDS_MAX && verifies(&self.raw, message.as_bytes(), signature)).then_some(seconds)
    }
}

/// The key may contain a plus; its name and id may not.
fn parts_of(text: &str) -> Option<(&str, &str, [u8; 32])> {
    let (name, rest) = text.split_once('+')?;
    let (key_id, base64) = rest.split_once('+')?;
    let is_id =
        key_id.len() == KEY_ID_CHARS && key_id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let typed = from_base64(base64).filter(|typed| typed.first() == Some(&COSIGNATURE_TYPE))?;
    let raw = typed.get(1..)?.try_into().ok()?;
    (is_id && is_signer_name(name) && !is_longer(name, NAME_CHARS_MAX)).then_some((name, key_id, raw))
}
