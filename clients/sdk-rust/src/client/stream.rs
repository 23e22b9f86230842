//! A call that reports progress while it runs, then returns its answer.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Sleep;

use crate::answer::headers::text_of;
use crate::answer::{Answer, answer_of};
use crate::client::doubt::Doubt;
use crate::client::events::{ANSWER_BYTES_MAX, EventReader, ServerEvent};
use crate::client::send::{Exchange, Said, poll_piece, said_of, too_large};
use crate::error::Error;
use crate::error::refusal::{RefusedBy, refusal_of};

/// An event of a stream: any number of `Progress`, then one `Result`. A refusal is an error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamEvent<Output = Value> {
    /// A progress report of the operation, such as `{ "message": "…" }`.
    Progress(Value),
    /// The answer, always the last event.
    Result(Box<Answer<Output>>),
}

/// The events of one call, as returned by [`Client::stream`](crate::Client::stream).
///
/// Dropping it cancels the call at the engine. It is a [`Stream`] of `futures-core`; [`next`](Self::next)
/// works without that crate's extension traits.
#[must_use = "nothing is read unless it is asked for its next event"]
pub struct EventStream<Output = Value> {
    state: State,
    doubt: Doubt,
    output: PhantomData<fn() -> Output>,
}

enum State {
    /// An engine that answered without a stream: the answer is the result.
    Whole(Box<Said>),
    Reading(Box<Reading>),
    Ended,
}

struct Reading {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    reader: EventReader,
    /// Runs only while waiting for data: the caller's own processing time does not count.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<Output: DeserializeOwned> EventStream<Output> {
    pub(crate) async fn of(exchange: Exchange) -> Result<Self, Error> {
        let Exchange { response, doubt } = exchange;
        let content_type = text_of(response.headers(), "content-type").unwrap_or_default();
        let state = if content_type.starts_with("text/event-stream") {
            let (head, body) = response.into_parts();
            let reader = EventReader::new(ANSWER_BYTES_MAX);
            let (status, headers) = (head.status, head.headers);
            State::Reading(Box::new(Reading { status, headers, body, reader, timer: None }))
        } else {
            State::Whole(Box::new(Exchange { response, doubt: doubt.clone() }.said().await?))
        };
        Ok(EventStream { state, doubt, output: PhantomData })
    }

    /// The next event; none after the result or after an error.
    pub async fn next(&mut self) -> Option<Result<StreamEvent<Output>, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Reads to the answer and ignores progress events.
    pub async fn result(mut self) -> Result<Answer<Output>, Error> {
        loop {
            match self.next().await {
                Some(Ok(StreamEvent::Progress(_))) => {}
                Some(Ok(StreamEvent::Result(answer))) => return Ok(*answer),
                Some(Err(error)) => return Err(error),
                None => {
                    return Err(self.doubt.lost(io::Error::other("the stream was read to its end before")));
                }
            }
        }
    }

    fn event_of(&self, reading: &Reading, sent: &ServerEvent) -> Result<Option<StreamEvent<Output>>, Error> {
        let said = || said_of(&sent.data, reading.status, &reading.headers, &self.doubt.api_url);
        match sent.event.as_str() {
            "progress" => Ok(Some(StreamEvent::Progress(said()?.body))),
            "result" => Ok(Some(StreamEvent::Result(Box::new(answer_of(said()?)?)))),
            "error" => {
                let Said { body, headers, api_url } = said()?;
                let status = reading.status.as_u16();
                Err(refusal_of(&body, RefusedBy { api_url: &api_url, status, retry_after: None, headers }))
            }
            // A newer service may send other events.
            _ => Ok(None),
        }
    }

    /// The next message, and whether more may follow.
    fn poll_reading(
        &self,
        reading: &mut Reading,
        context: &mut Context<'_>,
    ) -> Poll<Result<StreamEvent<Output>, Error>> {
        loop {
            while let Some(sent) = reading.reader.pop() {
                if let Some(event) = self.event_of(reading, &sent).transpose() {
                    return Poll::Ready(event);
                }
            }
            match poll_piece(Pin::new(&mut reading.body), context) {
                Poll::Ready(piece) => {
                    reading.timer = None;
                    if let Err(error) = self.take(reading, piece) {
                        return Poll::Ready(Err(error));
                    }
                }
                Poll::Pending if self.is_late(reading, context) => {
                    return Poll::Ready(Err(self.doubt.late()));
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn take(
        &self,
        reading: &mut Reading,
        piece: Option<Result<hyper::body::Bytes, hyper::Error>>,
    ) -> Result<(), Error> {
        let ended = || self.doubt.lost(io::Error::other("the stream ended before its result"));
        let piece = piece.ok_or_else(ended)?.map_err(|cause| self.doubt.lost(cause))?;
        reading.reader.push(&piece).map_err(|_| too_large())
    }

    fn is_late(&self, reading: &mut Reading, context: &mut Context<'_>) -> bool {
        if self.doubt.timeout.is_zero() {
            return false;
        }
        let timer = reading.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.doubt.timeout)));
        timer.as_mut().poll(context).is_ready()
    }
}

impl<Output: DeserializeOwned> Stream for EventStream<Output> {
    type Item = Result<StreamEvent<Output>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => Poll::Ready(None),
            State::Whole(said) => {
                Poll::Ready(Some(answer_of(*said).map(|answer| StreamEvent::Result(Box::new(answer)))))
            }
            State::Reading(mut reading) => {
                let polled = self.poll_reading(&mut reading, context);
                // After a result or an error nothing more is read: the connection is released.
                if matches!(polled, Poll::Pending | Poll::Ready(Ok(StreamEvent::Progress(_)))) {
                    self.state = State::Reading(reading);
                }
                polled.map(Some)
            }
        }
    }
}

impl<Output> fmt::Debug for EventStream<Output> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Whole(_) => "answered",
            State::Reading(_) => "reading",
            State::Ended => "ended",
        };
        formatter.debug_tuple("EventStream").field(&state).finish()
    }
}
