//! Server-sent events as the standard defines them: fields by line, an event at each empty line, no comments.

use std::collections::VecDeque;

/// Larger than any answer of the service; anything longer is not buffered.
pub(crate) const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServerEvent {
    pub event: String,
    pub data: String,
}

/// One event exceeds the maximum size of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

/// Takes a stream in arbitrary pieces. Text after the last empty line is not an event.
pub(crate) struct EventReader {
    bytes_max: usize,
    /// Bytes since the last empty line, including the unfinished line.
    bytes: usize,
    line: Vec<u8>,
    is_first_line: bool,
    after_return: bool,
    event: Option<String>,
    data: Option<String>,
    ready: VecDeque<ServerEvent>,
}

impl EventReader {
    pub fn new(bytes_max: usize) -> Self {
        EventReader {
            bytes_max,
            bytes: 0,
            line: Vec::new(),
            is_first_line: true,
            after_return: false,
            event: None,
            data: None,
            ready: VecDeque::new(),
        }
    }

    pub fn pop(&mut self) -> Option<ServerEvent> {
        self.ready.pop_front()
    }

    /// A line ends with CR, LF or CRLF; the two may arrive in different pieces.
    pub fn push(&mut self, piece: &[u8]) -> Result<(), TooLarge> {
        let mut rest = piece;
        if self.after_return && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_return = false;
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.gather(&rest[..end])?;
            self.end_line();
            let is_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.after_return = is_return && rest.is_empty();
            if is_return {
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.gather(rest)
    }

    fn gather(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        self.bytes += part.len();
        if self.bytes > self.bytes_max {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = match line.strip_prefix(BYTE_ORDER_MARK) {
            Some(rest) if self.is_first_line => rest,
            _ => &line,
        };
        self.is_first_line = false;
        if line.is_empty() {
            self.end_event();
        } else {
            self.read_field(&String::from_utf8_lossy(line));
        }
    }

    fn read_field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match (name, &mut self.data) {
            ("event", _) => self.event = Some(value.to_owned()),
            ("data", Some(data)) => {
                data.push('\n');
                data.push_str(value);
            }
            ("data", data) => *data = Some(value.to_owned()),
            // A comment has no name; `id` and `retry` are not needed here.
            _ => {}
        }
    }

    fn end_event(&mut self) {
        self.bytes = 0;
        let event = self.event.take();
        if let Some(data) = self.data.take() {
            let event = event.unwrap_or_else(|| "message".to_owned());
            self.ready.push_back(ServerEvent { event, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events_in<'a>(
        pieces: impl IntoIterator<Item = &'a [u8]>,
        bytes_max: usize,
    ) -> Result<Vec<ServerEvent>, TooLarge> {
        let mut reader = EventReader::new(bytes_max);
        let mut found = Vec::new();
        for piece in pieces {
            reader.push(piece)?;
            found.extend(std::iter::from_fn(|| reader.pop()));
        }
        Ok(found)
    }

    fn event(event: &str, data: &str) -> ServerEvent {
        ServerEvent { event: event.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_come_out_as_they_went_in_wherever_the_stream_is_cut_and_however_its_lines_end() {
        let lines = [
            "\u{feff}event: progress",
            "data: {\"a\":\"é\u{2028}\"}",
            "",
            "event: result",
            "data: 1",
            "data: :2",
            "",
            "",
        ];
        let expected = [event("progress", "{\"a\":\"é\u{2028}\"}"), event("result", "1\n:2")];
        for end in ["\n", "\r\n", "\r"] {
            let text = lines.join(end);
            let bytes = text.as_bytes();
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(
                        events_in(pieces, 1_000).unwrap(),
                        expected,
                        "{end:?} cut at {first} and {second}"
                    );
                }
            }
            assert_eq!(events_in(bytes.chunks(1), 1_000).unwrap(), expected, "{end:?} byte by byte");
        }
    }

    #[test]
    fn comments_unknown_fields_and_events_without_data_are_passed_over_and_one_space_is_dropped() {
        let text = ": hello\n\nevent: empty\n\nid: 7\nretry: 5\ndata\ndata:x\ndata:  y\n\n";
        assert_eq!(events_in([text.as_bytes()], 1_000).unwrap(), [event("message", "\nx\n y")]);
    }

    #[test]
    fn an_event_that_was_not_finished_is_none() {
        assert_eq!(events_in([b"data: a\n\ndata: b\n".as_slice()], 1_000).unwrap(), [event("message", "a")]);
    }

    #[test]
    fn what_is_larger_than_any_answer_is_not_gathered_in_one_line_or_in_many() {
        for piece in [b"data: x\n".as_slice(), b"xxxxxxx"] {
            assert_eq!(events_in(std::iter::repeat_n(piece, 200), 1_000), Err(TooLarge));
        }
        let many = b"data: x\n\n".repeat(500);
        assert_eq!(events_in([many.as_slice()], 1_000).unwrap().len(), 500);
    }
}
