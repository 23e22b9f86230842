# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MIM v1.0.0. Mailboxes and topics: messages delivered at most once, at least once or exactly once, in order on request; and tasks for agents."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class ListInput(Input):
    """List mailboxes with what waits, is in flight or is dead in them; without their content."""

    mailbox: str | None = None
    """A DID, mailbox:<name>, topic:<name>, or topic:<name>/<subscription>."""
    holding: Literal["waiting", "dead"] | None = None
    """Mailboxes with unfinished messages, or with dead letters."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MIM list."""

    items: List[ListOutputItem]
    """Mailboxes and subscriptions you may receive from, and topics you may subscribe to; charter members see all."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    mailbox: str
    """A DID, mailbox:<name>, topic:<name>, or topic:<name>/<subscription>."""
    owner_did: str | None = None
    """Who owns the mailbox; absent until it is declared, or somebody receives from it."""
    delegates: List[str]
    """Who else may receive from it."""
    topic: ListOutputItemTopic | None = None
    """Of a topic, for its owner and those who may subscribe."""
    unread: int | None = None
    """Of a subscription: messages not yet read from its topic, those that have ended included."""
    missed: int | None = None
    """Of a subscription: messages that expired, or that a full topic dropped, unread."""
    opened_at: str
    """When it was opened."""
    waiting: int
    """Messages to be handed out, now or after their delay."""
    in_flight: int
    """Delivered, and the visibility timeout has not ended."""
    unreleased: int
    """QoS 2: acked and not yet released."""
    dead: int
    """Dead letters."""
    bytes: int
    """Size of its unfinished messages and dead letters."""
    oldest_waiting_at: str | None = None
    """When the oldest waiting message was sent; absent where none waits."""
    oldest_dead_at: str | None = None
    """When the oldest dead letter was sent; absent where there is none."""


class ListOutputItemTopic(Output):
    """Of a topic, for its owner and those who may subscribe."""

    publishers: Literal["organization"] | str | List[str]
    """All of the organization, or these identities."""
    subscribers: Literal["organization"] | str | List[str]
    """All of the organization, or these identities."""
    retention_ms: int
    """How long it keeps a message."""
    subscriptions: int
    """How many there are."""


class MailboxDeclareInput(Input):
    """Say whose a mailbox with a name is, and who else receives from it."""

    mailbox: str
    """mailbox:<name>, a mailbox of your organization."""
    owner_did: str | None = None
    """Whose it is: an identity of your organization. Default you."""
    delegates: List[str] | None = None
    """Who else may receive from it, from now on. Absent: as before."""


class MailboxDeclareOutput(Output):
    """Answer of MIM mailbox_declare."""

    mailbox: str
    """mailbox:<name>, a mailbox of your organization."""
    owner_did: str
    """Whose it is."""
    delegates: List[str]
    """Who else may receive from it."""


class MessageReceiveInput(Input):
    """Receive messages, and acknowledge those received before."""

    mailbox: str | None = None
    """Your own DID where absent. topic:<name>/<subscription> receives from a topic. A name that was not declared for anybody is yours once you receive from it."""
    max: int | None = None
    """The most messages to return, 5 MiB in all. Default 10."""
    wait_ms: int | None = None
    """How long to wait for the first message; a call with an idempotency key does not wait."""
    visibility_timeout_ms: int | None = None
    """How long these messages stay hidden from others before they are delivered again. Default 30000."""
    ack: List[str] | None = None
    """Taken. QoS 2: it is yours now, and is never handed out again."""
    release: List[str] | None = None
    """QoS 2: done with; after ack, and as often as you like."""
    nack: List[MessageReceiveNack] | None = None
    """Messages you could not process; they are delivered again or become dead letters."""
    filter: MessageReceiveFilter | None = None
    """Hand out only messages that match all of these."""
    mode: Literal["live", "dead", "peek"] | None = None
    """live hands out; peek only shows; dead shows dead letters, which nack puts back to the end and ack removes."""
    delegates: List[str] | None = None
    """By the owner: who else may receive here, from now on."""
    cursor: str | None = None
    """In the modes peek and dead: continue after this place."""


class MessageReceiveNack(Input):
    """A part of the above."""

    receipt: str
    """Identifies one delivery of a message; the next delivery has another receipt."""
    delay_ms: int | None = None
    """Delay before it is delivered again. Default 0."""
    dead: bool | None = None
    """Move it to the dead letters now."""
    reason: str | None = None
    """Shown beside the dead letter."""


class MessageReceiveFilter(Input):
    """Hand out only messages that match all of these."""

    thread_id: str | None = None
    """Only messages of this conversation."""
    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Only messages of this sender."""
    content_type: str | None = None
    """What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent."""


class MessageReceiveOutput(SecretOutput):
    """Answer of MIM message_receive."""

    messages: List[MessageReceiveOutputMessage]
    """Messages handed out, or shown in the modes peek and dead."""
    unreleased: List[MessageReceiveOutputUnreleased]
    """QoS 2: acked and not yet released, by whomever; only to be released."""
    acked: List[str]
    """Receipts whose ack took effect."""
    released: List[str]
    """Receipts whose release took effect."""
    nacked: List[str]
    """Receipts whose nack took effect."""
    stale: List[str]
    """Receipts that count no more: the message was handed out again, has ended, or was not acked before release."""
    backlog: MessageReceiveOutputBacklog
    """What is left in the mailbox."""
    next_cursor: str | None = None
    """Pass it as cursor to see more, in the modes peek and dead."""


class MessageReceiveOutputMessage(Output):
    """A part of the above."""

    message_id: str
    """Names the message."""
    published_id: str | None = None
    """From a topic: names the message there, the same for all subscriptions."""
    receipt: str | None = None
    """Absent with QoS 0 and peek: there is nothing to answer."""
    from_: str = Field(validation_alias="from", serialization_alias="from")
    """Who sent it."""
    body: Any = None
    """Content as it was sent; absent where it is encrypted."""
    encrypted: MessageReceiveOutputMessageEncrypted | None = None
    """The body as only the recipient can read it; then there is no body beside it."""
    content_type: str | None = None
    """What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent."""
    ordering_key: str | None = None
    """Messages with the same key are handed out in the order they were taken in."""
    dedupe_id: str | None = None
    """The same id of the same sender to the same mailbox within 30 days is the same message. QoS 2 needs one; the idempotency key stands in for it."""
    reply_to: str | None = None
    """A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name."""
    thread_id: str | None = None
    """Groups messages of one conversation."""
    qos: int
    """How it is delivered: 0 at most once, 1 at least once, 2 exactly once."""
    seq: int
    """Increases by one for each message of its mailbox and ordering_key."""
    attempt: int
    """How often it has been handed out, this time included."""
    priority: int
    """Higher ones are delivered first."""
    size: int
    """Bytes of the body and headers."""
    sent_at: str
    """When it was sent."""
    expires_at: str
    """When it is removed if nobody received it."""
    dead_reason: Literal["max_deliveries", "rejected"] | str | None = None
    """Why it is a dead letter: handed out too often, or rejected by a receiver."""
    nack_reason: str | None = None
    """Reason that its last nack gave."""


class MessageReceiveOutputMessageEncrypted(Output):
    """The body as only the recipient can read it; then there is no body beside it."""

    recipient_key: str
    """Which key of the recipient opens it: a key id or thumbprint."""
    jwe: str
    """JWE in compact form (RFC 7516); only the recipient can open it."""


class MessageReceiveOutputUnreleased(Output):
    """A part of the above."""

    message_id: str
    """The message that waits for its release."""
    receipt: str
    """Identifies one delivery of a message; the next delivery has another receipt."""


class MessageReceiveOutputBacklog(Output):
    """What is left in the mailbox."""

    live: int
    """Unfinished messages."""
    dead: int
    """Dead letters."""
    unread: int | None = None
    """Of a subscription: messages not yet read from the topic."""
    missed: int | None = None
    """Of a subscription: messages that expired, or that a full topic dropped, unread."""


class MessageSendInput(Input):
    """Send a message to one or more mailboxes."""

    to: str | List[str]
    """Where it goes; each recipient of a list gets a message of its own."""
    body: Any = None
    """Any JSON; a string of base64 where content_type says bytes."""
    encrypted: MessageSendEncrypted | None = None
    """The body as only the recipient can read it; then there is no body beside it."""
    content_type: str | None = None
    """What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent."""
    ordering_key: str | None = None
    """Messages with the same key are handed out in the order they were taken in."""
    dedupe_id: str | None = None
    """The same id of the same sender to the same mailbox within 30 days is the same message. QoS 2 needs one; the idempotency key stands in for it."""
    reply_to: str | None = None
    """A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name."""
    thread_id: str | None = None
    """Groups messages of one conversation."""
    qos: int | None = None
    """0: handed out at most once. 1 (default): at least once, until it is acked. 2: exactly once."""
    ttl_ms: int | None = None
    """The message expires after this time. Default 7 days; in a topic at most as long as it keeps any."""
    deliver_after_ms: int | None = None
    """The message is not handed out before this time has passed. Default 0."""
    priority: int | None = None
    """Higher is delivered first. Default 4. Within an ordering_key the order counts instead."""


class MessageSendEncrypted(Input):
    """The body as only the recipient can read it; then there is no body beside it."""

    recipient_key: str
    """Which key of the recipient opens it: a key id or thumbprint."""
    jwe: str
    """JWE in compact form (RFC 7516); only the recipient can open it."""


class MessageSendOutput(Output):
    """Answer of MIM message_send."""

    message_id: str
    """Names the message, for the first recipient."""
    seq: int
    """Place in its mailbox and ordering_key, for the first recipient."""
    duplicate: bool
    """The first recipient had it before; it was not sent again."""
    accepted_at: str
    """When the engine took it."""
    size: int
    """Bytes of JCS(body), and of the names and values of the headers that were given."""
    deliveries: List[MessageSendOutputDelivery]
    """One for each recipient, in the order given."""


class MessageSendOutputDelivery(Output):
    """A part of the above."""

    to: str
    """A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name."""
    message_id: str
    """Names the message in this mailbox."""
    seq: int
    """Increases by one for each message of its mailbox and ordering_key."""
    duplicate: bool
    """It was sent before and was not sent again."""


class MessageSendManyInput(Input):
    """Send up to 100 messages in one call: all of them or none."""

    messages: List[MessageSendManyMessage]
    """As message_send takes them. In one mailbox they keep this order."""


class MessageSendManyMessage(Input):
    """A part of the above."""

    to: str
    """Where it goes: one recipient."""
    body: Any = None
    """Any JSON; a string of base64 where content_type says bytes."""
    encrypted: MessageSendManyMessageEncrypted | None = None
    """The body as only the recipient can read it; then there is no body beside it."""
    content_type: str | None = None
    """What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent."""
    ordering_key: str | None = None
    """Messages with the same key are handed out in the order they were taken in."""
    dedupe_id: str | None = None
    """The same id of the same sender to the same mailbox within 30 days is the same message. QoS 2 needs one; the idempotency key stands in for it."""
    reply_to: str | None = None
    """A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name."""
    thread_id: str | None = None
    """Groups messages of one conversation."""
    qos: int | None = None
    """0: handed out at most once. 1 (default): at least once, until it is acked. 2: exactly once."""
    ttl_ms: int | None = None
    """The message expires after this time. Default 7 days; in a topic at most as long as it keeps any."""
    deliver_after_ms: int | None = None
    """The message is not handed out before this time has passed. Default 0."""
    priority: int | None = None
    """Higher is delivered first. Default 4. Within an ordering_key the order counts instead."""


class MessageSendManyMessageEncrypted(Input):
    """The body as only the recipient can read it; then there is no body beside it."""

    recipient_key: str
    """Which key of the recipient opens it: a key id or thumbprint."""
    jwe: str
    """JWE in compact form (RFC 7516); only the recipient can open it."""


class MessageSendManyOutput(Output):
    """Answer of MIM message_send_many."""

    accepted_at: str
    """When the engine took them."""
    size: int
    """Bytes of all of them, as message_send counts."""
    deliveries: List[MessageSendManyOutputDelivery]
    """One for each message, in the order given."""


class MessageSendManyOutputDelivery(Output):
    """A part of the above."""

    to: str
    """A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name."""
    message_id: str
    """Names the message in this mailbox."""
    seq: int
    """Increases by one for each message of its mailbox and ordering_key."""
    duplicate: bool
    """It was sent before and was not sent again."""


class TaskCancelInput(Input):
    """Cancel a task of yours that has not ended, and tell its agent."""

    task_id: str
    """Task to cancel."""
    agent_did: str | None = None
    """Only if it is a task of this agent."""


class TaskCancelOutput(SecretOutput):
    """Answer of MIM task_cancel."""

    task: TaskCancelOutputTask
    """The task as it ended."""


class TaskCancelOutputTask(Output):
    """The task as it ended."""

    task_id: str
    """Names the task."""
    context_id: str
    """Tasks of one conversation share it."""
    agent_did: str
    """Agent that works on it."""
    state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | str
    """The states of A2A. completed, failed, canceled and rejected are final."""
    created_at: str
    """When it was begun."""
    changed_at: str
    """When its last step was added."""
    steps: int
    """How many steps it has so far."""
    status_message: TaskCancelOutputTaskStatusMessage | None = None
    """What the agent said with its last step."""
    history: List[TaskCancelOutputTaskHistory] | None = None
    """Earlier messages, oldest first."""
    artifacts: List[TaskCancelOutputTaskArtifact] | None = None
    """The results so far."""
    direct: bool | None = None
    """The agent answered with a message alone: status_message is all there is."""


class TaskCancelOutputTaskStatusMessage(Output):
    """What the agent said with its last step."""

    message_id: str
    """Chosen by the sender."""
    parts: List[TaskCancelOutputTaskStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskCancelOutputTaskStatusMessagePart(Output):
    """One of text, raw, url and data."""

    text: str | None = None
    """A text."""
    raw: str | None = None
    """Bytes of a file in base64."""
    url: str | None = None
    """Where a file is; the engine does not fetch it."""
    data: Any = None
    """Any JSON."""
    media_type: str | None = None
    """What it is, such as text/plain."""
    filename: str | None = None
    """The name of the file."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskCancelOutputTaskHistory(Output):
    """A part of the above."""

    role: Literal["user", "agent"] | str
    """Who sent it."""
    message_id: str
    """Chosen by the sender."""
    parts: List[TaskCancelOutputTaskStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskCancelOutputTaskArtifact(Output):
    """A part of the above."""

    artifact_id: str
    """Unique within the task."""
    name: str | None = None
    """For people."""
    description: str | None = None
    """What it is."""
    parts: List[TaskCancelOutputTaskStatusMessagePart]
    """The content, in order."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskGetInput(Input):
    """Read a task of yours, or wait until it changes."""

    task_id: str
    """Task to read."""
    agent_did: str | None = None
    """Only if it is a task of this agent."""
    history_length: int | None = None
    """At most this many of the newest messages in history. Default all."""
    after: int | None = None
    """Also return the steps after this one, and wait for one with wait_ms."""
    wait_ms: int | None = None
    """How long to wait for a step, or without after until the agent is done or needs something."""


class TaskGetOutput(Output):
    """Answer of MIM task_get."""

    task: TaskGetOutputTask
    """The task as it is now."""
    new_steps: List[TaskGetOutputNewStep] | None = None
    """The steps after the one named."""


class TaskGetOutputTask(Output):
    """The task as it is now."""

    task_id: str
    """Names the task."""
    context_id: str
    """Tasks of one conversation share it."""
    agent_did: str
    """Agent that works on it."""
    state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | str
    """The states of A2A. completed, failed, canceled and rejected are final."""
    created_at: str
    """When it was begun."""
    changed_at: str
    """When its last step was added."""
    steps: int
    """How many steps it has so far."""
    status_message: TaskGetOutputTaskStatusMessage | None = None
    """What the agent said with its last step."""
    history: List[TaskGetOutputTaskHistory] | None = None
    """Earlier messages, oldest first."""
    artifacts: List[TaskGetOutputTaskArtifact] | None = None
    """The results so far."""
    direct: bool | None = None
    """The agent answered with a message alone: status_message is all there is."""


class TaskGetOutputTaskStatusMessage(Output):
    """What the agent said with its last step."""

    message_id: str
    """Chosen by the sender."""
    parts: List[TaskGetOutputTaskStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskGetOutputTaskStatusMessagePart(Output):
    """One of text, raw, url and data."""

    text: str | None = None
    """A text."""
    raw: str | None = None
    """Bytes of a file in base64."""
    url: str | None = None
    """Where a file is; the engine does not fetch it."""
    data: Any = None
    """Any JSON."""
    media_type: str | None = None
    """What it is, such as text/plain."""
    filename: str | None = None
    """The name of the file."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskGetOutputTaskHistory(Output):
    """A part of the above."""

    role: Literal["user", "agent"] | str
    """Who sent it."""
    message_id: str
    """Chosen by the sender."""
    parts: List[TaskGetOutputTaskStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskGetOutputTaskArtifact(Output):
    """A part of the above."""

    artifact_id: str
    """Unique within the task."""
    name: str | None = None
    """For people."""
    description: str | None = None
    """What it is."""
    parts: List[TaskGetOutputTaskStatusMessagePart]
    """The content, in order."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskGetOutputNewStep(Output):
    """A part of the above."""

    n: int
    """Its number within the task."""
    by: Literal["user", "agent"] | str
    """user is the caller of the task."""
    at: str
    """When the step was added."""
    state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | str
    """The states of A2A. completed, failed, canceled and rejected are final."""
    message: TaskGetOutputTaskStatusMessage | None = None
    """What was said with this step."""
    artifacts: List[TaskGetOutputNewStepArtifact] | None = None
    """Artifacts, or parts of them, that came with this step."""
    direct: bool | None = None
    """The agent answered with a message alone, without a state."""


class TaskGetOutputNewStepArtifact(Output):
    """A part of the above."""

    artifact_id: str
    """Unique within the task."""
    name: str | None = None
    """For people."""
    description: str | None = None
    """What it is."""
    parts: List[TaskGetOutputTaskStatusMessagePart]
    """The content, in order."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""
    append: bool | None = None
    """Add these parts to the artifact with this id."""
    last_chunk: bool | None = None
    """No more parts follow."""


class TaskListInput(Input):
    """List your tasks, the last changed first."""

    agent_did: str | None = None
    """Only tasks of this agent."""
    context_id: str | None = None
    """Only tasks of this conversation."""
    state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | None = None
    """The states of A2A. completed, failed, canceled and rejected are final."""
    history_length: int | None = None
    """At most this many of the newest messages in history. Default all."""
    include_artifacts: bool | None = None
    """With artifacts. Tasks beyond 5 MiB of a page come without content; get them one by one."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class TaskListOutput(Output):
    """Answer of MIM task_list."""

    items: List[TaskListOutputItem]
    """Your tasks, the last changed first."""
    total: int
    """All that fit, counted up to 10000."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class TaskListOutputItem(Output):
    """A part of the above."""

    task_id: str
    """Names the task."""
    context_id: str
    """Tasks of one conversation share it."""
    agent_did: str
    """Agent that works on it."""
    state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | str
    """The states of A2A. completed, failed, canceled and rejected are final."""
    created_at: str
    """When it was begun."""
    changed_at: str
    """When its last step was added."""
    steps: int
    """How many steps it has so far."""
    status_message: TaskListOutputItemStatusMessage | None = None
    """What the agent said with its last step."""
    history: List[TaskListOutputItemHistory] | None = None
    """Earlier messages, oldest first."""
    artifacts: List[TaskListOutputItemArtifact] | None = None
    """The results so far."""
    direct: bool | None = None
    """The agent answered with a message alone: status_message is all there is."""


class TaskListOutputItemStatusMessage(Output):
    """What the agent said with its last step."""

    message_id: str
    """Chosen by the sender."""
    parts: List[TaskListOutputItemStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskListOutputItemStatusMessagePart(Output):
    """One of text, raw, url and data."""

    text: str | None = None
    """A text."""
    raw: str | None = None
    """Bytes of a file in base64."""
    url: str | None = None
    """Where a file is; the engine does not fetch it."""
    data: Any = None
    """Any JSON."""
    media_type: str | None = None
    """What it is, such as text/plain."""
    filename: str | None = None
    """The name of the file."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskListOutputItemHistory(Output):
    """A part of the above."""

    role: Literal["user", "agent"] | str
    """Who sent it."""
    message_id: str
    """Chosen by the sender."""
    parts: List[TaskListOutputItemStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskListOutputItemArtifact(Output):
    """A part of the above."""

    artifact_id: str
    """Unique within the task."""
    name: str | None = None
    """For people."""
    description: str | None = None
    """What it is."""
    parts: List[TaskListOutputItemStatusMessagePart]
    """The content, in order."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskSendInput(Input):
    """Give a registered agent a task, or send it more for one; its answer becomes part of the task."""

    agent_did: str
    """The registered agent that shall do it."""
    message: TaskSendMessage
    """What the agent is asked."""
    task_id: str | None = None
    """Adds the message to this task, which has not ended."""
    context_id: str | None = None
    """The conversation it belongs to; a new one where absent."""


class TaskSendMessage(Input):
    """What the agent is asked."""

    message_id: str
    """Chosen by the sender."""
    parts: List[TaskSendMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskSendMessagePart(Input):
    """One of text, raw, url and data."""

    text: str | None = None
    """A text."""
    raw: str | None = None
    """Bytes of a file in base64."""
    url: str | None = None
    """Where a file is; the engine does not fetch it."""
    data: Any = None
    """Any JSON."""
    media_type: str | None = None
    """What it is, such as text/plain."""
    filename: str | None = None
    """The name of the file."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskSendOutput(SecretOutput):
    """Answer of MIM task_send."""

    task: TaskSendOutputTask
    """The task with this message."""


class TaskSendOutputTask(Output):
    """The task with this message."""

    task_id: str
    """Names the task."""
    context_id: str
    """Tasks of one conversation share it."""
    agent_did: str
    """Agent that works on it."""
    state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | str
    """The states of A2A. completed, failed, canceled and rejected are final."""
    created_at: str
    """When it was begun."""
    changed_at: str
    """When its last step was added."""
    steps: int
    """How many steps it has so far."""
    status_message: TaskSendOutputTaskStatusMessage | None = None
    """What the agent said with its last step."""
    history: List[TaskSendOutputTaskHistory] | None = None
    """Earlier messages, oldest first."""
    artifacts: List[TaskSendOutputTaskArtifact] | None = None
    """The results so far."""
    direct: bool | None = None
    """The agent answered with a message alone: status_message is all there is."""


class TaskSendOutputTaskStatusMessage(Output):
    """What the agent said with its last step."""

    message_id: str
    """Chosen by the sender."""
    parts: List[TaskSendOutputTaskStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskSendOutputTaskStatusMessagePart(Output):
    """One of text, raw, url and data."""

    text: str | None = None
    """A text."""
    raw: str | None = None
    """Bytes of a file in base64."""
    url: str | None = None
    """Where a file is; the engine does not fetch it."""
    data: Any = None
    """Any JSON."""
    media_type: str | None = None
    """What it is, such as text/plain."""
    filename: str | None = None
    """The name of the file."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskSendOutputTaskHistory(Output):
    """A part of the above."""

    role: Literal["user", "agent"] | str
    """Who sent it."""
    message_id: str
    """Chosen by the sender."""
    parts: List[TaskSendOutputTaskStatusMessagePart]
    """The content, in order."""
    reference_task_ids: List[str] | None = None
    """Other tasks that the message is about."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TaskSendOutputTaskArtifact(Output):
    """A part of the above."""

    artifact_id: str
    """Unique within the task."""
    name: str | None = None
    """For people."""
    description: str | None = None
    """What it is."""
    parts: List[TaskSendOutputTaskStatusMessagePart]
    """The content, in order."""
    extensions: List[str] | None = None
    """Addresses of the A2A extensions that apply."""
    metadata: Dict[str, Any] | None = None
    """Whatever the parties agreed on."""


class TopicDeclareInput(Input):
    """Open a topic, say who may publish and subscribe, or close it."""

    topic: str
    """topic:<name>, a topic of your organization."""
    owner_did: str | None = None
    """Whose it is: an identity of your organization. Default you, or its owner until now."""
    publishers: Literal["organization"] | List[str] | None = None
    """Who may publish: all of your organization (default), or these and the owner."""
    subscribers: Literal["organization"] | List[str] | None = None
    """Who may subscribe and receive: all of your organization (default), or these and the owner."""
    retention_ms: int | None = None
    """How long messages published from now on stay for late subscribers. Default 7 days."""
    closed: bool | None = None
    """Remove the topic with its messages and all its subscriptions."""


class TopicDeclareOutput(Output):
    """Answer of MIM topic_declare."""

    topic: str
    """topic:<name>, a topic of your organization."""
    owner_did: str
    """Whose it is."""
    publishers: Literal["organization"] | str | List[str]
    """Who may publish, beside the owner."""
    subscribers: Literal["organization"] | str | List[str]
    """Who may subscribe and receive, beside the owner."""
    retention_ms: int
    """How long its messages stay."""
    closed: bool
    """It was removed."""


class TopicSubscribeInput(Input):
    """Subscribe to a topic, alone or as a group of consumers of which one gets each message."""

    subscription: str
    """topic:<name>/<subscription>, from which the messages of the topic are received."""
    from_: Literal["now", "earliest"] | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Where a new subscription begins: with the next message (default), or the earliest that is stored."""
    consumers: List[str] | None = None
    """Who else receives from it: one of the group gets each message. Absent: as before; of a new one nobody."""


class TopicSubscribeOutput(Output):
    """Answer of MIM topic_subscribe."""

    subscription: str
    """topic:<name>/<subscription>, from which the messages of the topic are received."""
    owner_did: str
    """Whose it is: who made it."""
    consumers: List[str]
    """Who else receives from it."""
    created: bool
    """It is new; otherwise it goes on from where it was."""
    unread: int
    """Messages of the topic that it has not read yet."""
    missed: int
    """Messages that expired, or that a full topic dropped, before they were read here."""


class TopicUnsubscribeInput(Input):
    """End a subscription: what it has not finished is removed with it."""

    subscription: str
    """topic:<name>/<subscription>, from which the messages of the topic are received."""


class TopicUnsubscribeOutput(Output):
    """Answer of MIM topic_unsubscribe."""

    subscription: str
    """topic:<name>/<subscription>, from which the messages of the topic are received."""
    unread: int
    """Messages of the topic that it had not read."""


class Mim(Operations):
    """Mailboxes and topics: messages delivered at most once, at least once or exactly once, in order on request; and tasks for agents."""

    protocol = "MIM"

    def list(
        self,
        *,
        mailbox: str | None = None,
        holding: Literal["waiting", "dead"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List mailboxes with what waits, is in flight or is dead in them; without their content. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "mailbox": mailbox,
            "holding": holding,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def mailbox_declare(
        self,
        *,
        mailbox: str,
        owner_did: str | None = None,
        delegates: List[str] | None = None,
    ) -> MailboxDeclareOutput:
        """Say whose a mailbox with a name is, and who else receives from it. A write: never retried."""
        return self._call("mailbox_declare", MailboxDeclareInput, MailboxDeclareOutput, {
            "mailbox": mailbox,
            "owner_did": owner_did,
            "delegates": delegates,
        })

    def message_receive(
        self,
        *,
        mailbox: str | None = None,
        max: int | None = None,
        wait_ms: int | None = None,
        visibility_timeout_ms: int | None = None,
        ack: List[str] | None = None,
        release: List[str] | None = None,
        nack: List[MessageReceiveNack] | None = None,
        filter: MessageReceiveFilter | None = None,
        mode: Literal["live", "dead", "peek"] | None = None,
        delegates: List[str] | None = None,
        cursor: str | None = None,
    ) -> MessageReceiveOutput:
        """Receive messages, and acknowledge those received before. A write: never retried."""
        return self._call("message_receive", MessageReceiveInput, MessageReceiveOutput, {
            "mailbox": mailbox,
            "max": max,
            "wait_ms": wait_ms,
            "visibility_timeout_ms": visibility_timeout_ms,
            "ack": ack,
            "release": release,
            "nack": nack,
            "filter": filter,
            "mode": mode,
            "delegates": delegates,
            "cursor": cursor,
        })

    def message_send(
        self,
        *,
        to: str | List[str],
        body: Any = None,
        encrypted: MessageSendEncrypted | None = None,
        content_type: str | None = None,
        ordering_key: str | None = None,
        dedupe_id: str | None = None,
        reply_to: str | None = None,
        thread_id: str | None = None,
        qos: int | None = None,
        ttl_ms: int | None = None,
        deliver_after_ms: int | None = None,
        priority: int | None = None,
    ) -> MessageSendOutput:
        """Send a message to one or more mailboxes. A write: never retried."""
        return self._call("message_send", MessageSendInput, MessageSendOutput, {
            "to": to,
            "body": body,
            "encrypted": encrypted,
            "content_type": content_type,
            "ordering_key": ordering_key,
            "dedupe_id": dedupe_id,
            "reply_to": reply_to,
            "thread_id": thread_id,
            "qos": qos,
            "ttl_ms": ttl_ms,
            "deliver_after_ms": deliver_after_ms,
            "priority": priority,
        })

    def message_send_many(
        self,
        *,
        messages: List[MessageSendManyMessage],
    ) -> MessageSendManyOutput:
        """Send up to 100 messages in one call: all of them or none. A write: never retried."""
        return self._call("message_send_many", MessageSendManyInput, MessageSendManyOutput, {
            "messages": messages,
        })

    def task_cancel(
        self,
        *,
        task_id: str,
        agent_did: str | None = None,
    ) -> TaskCancelOutput:
        """Cancel a task of yours that has not ended, and tell its agent. A write: never retried."""
        return self._call("task_cancel", TaskCancelInput, TaskCancelOutput, {
            "task_id": task_id,
            "agent_did": agent_did,
        })

    def task_get(
        self,
        *,
        task_id: str,
        agent_did: str | None = None,
        history_length: int | None = None,
        after: int | None = None,
        wait_ms: int | None = None,
    ) -> TaskGetOutput:
        """Read a task of yours, or wait until it changes. A read: retried."""
        return self._call("task_get", TaskGetInput, TaskGetOutput, {
            "task_id": task_id,
            "agent_did": agent_did,
            "history_length": history_length,
            "after": after,
            "wait_ms": wait_ms,
        })

    def task_list(
        self,
        *,
        agent_did: str | None = None,
        context_id: str | None = None,
        state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | None = None,
        history_length: int | None = None,
        include_artifacts: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> TaskListOutput:
        """List your tasks, the last changed first. A read: retried."""
        return self._call("task_list", TaskListInput, TaskListOutput, {
            "agent_did": agent_did,
            "context_id": context_id,
            "state": state,
            "history_length": history_length,
            "include_artifacts": include_artifacts,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def task_send(
        self,
        *,
        agent_did: str,
        message: TaskSendMessage,
        task_id: str | None = None,
        context_id: str | None = None,
    ) -> TaskSendOutput:
        """Give a registered agent a task, or send it more for one; its answer becomes part of the task. A write: never retried."""
        return self._call("task_send", TaskSendInput, TaskSendOutput, {
            "agent_did": agent_did,
            "message": message,
            "task_id": task_id,
            "context_id": context_id,
        })

    def topic_declare(
        self,
        *,
        topic: str,
        owner_did: str | None = None,
        publishers: Literal["organization"] | List[str] | None = None,
        subscribers: Literal["organization"] | List[str] | None = None,
        retention_ms: int | None = None,
        closed: bool | None = None,
    ) -> TopicDeclareOutput:
        """Open a topic, say who may publish and subscribe, or close it. A write: never retried."""
        return self._call("topic_declare", TopicDeclareInput, TopicDeclareOutput, {
            "topic": topic,
            "owner_did": owner_did,
            "publishers": publishers,
            "subscribers": subscribers,
            "retention_ms": retention_ms,
            "closed": closed,
        })

    def topic_subscribe(
        self,
        *,
        subscription: str,
        from_: Literal["now", "earliest"] | None = None,
        consumers: List[str] | None = None,
    ) -> TopicSubscribeOutput:
        """Subscribe to a topic, alone or as a group of consumers of which one gets each message. A write: never retried."""
        return self._call("topic_subscribe", TopicSubscribeInput, TopicSubscribeOutput, {
            "subscription": subscription,
            "from_": from_,
            "consumers": consumers,
        })

    def topic_unsubscribe(
        self,
        *,
        subscription: str,
    ) -> TopicUnsubscribeOutput:
        """End a subscription: what it has not finished is removed with it. A write: never retried."""
        return self._call("topic_unsubscribe", TopicUnsubscribeInput, TopicUnsubscribeOutput, {
            "subscription": subscription,
        })


class AsyncMim(AsyncOperations):
    """Mailboxes and topics: messages delivered at most once, at least once or exactly once, in order on request; and tasks for agents."""

    protocol = "MIM"

    async def list(
        self,
        *,
        mailbox: str | None = None,
        holding: Literal["waiting", "dead"] | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List mailboxes with what waits, is in flight or is dead in them; without their content. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "mailbox": mailbox,
            "holding": holding,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def mailbox_declare(
        self,
        *,
        mailbox: str,
        owner_did: str | None = None,
        delegates: List[str] | None = None,
    ) -> MailboxDeclareOutput:
        """Say whose a mailbox with a name is, and who else receives from it. A write: never retried."""
        return await self._call("mailbox_declare", MailboxDeclareInput, MailboxDeclareOutput, {
            "mailbox": mailbox,
            "owner_did": owner_did,
            "delegates": delegates,
        })

    async def message_receive(
        self,
        *,
        mailbox: str | None = None,
        max: int | None = None,
        wait_ms: int | None = None,
        visibility_timeout_ms: int | None = None,
        ack: List[str] | None = None,
        release: List[str] | None = None,
        nack: List[MessageReceiveNack] | None = None,
        filter: MessageReceiveFilter | None = None,
        mode: Literal["live", "dead", "peek"] | None = None,
        delegates: List[str] | None = None,
        cursor: str | None = None,
    ) -> MessageReceiveOutput:
        """Receive messages, and acknowledge those received before. A write: never retried."""
        return await self._call("message_receive", MessageReceiveInput, MessageReceiveOutput, {
            "mailbox": mailbox,
            "max": max,
            "wait_ms": wait_ms,
            "visibility_timeout_ms": visibility_timeout_ms,
            "ack": ack,
            "release": release,
            "nack": nack,
            "filter": filter,
            "mode": mode,
            "delegates": delegates,
            "cursor": cursor,
        })

    async def message_send(
        self,
        *,
        to: str | List[str],
        body: Any = None,
        encrypted: MessageSendEncrypted | None = None,
        content_type: str | None = None,
        ordering_key: str | None = None,
        dedupe_id: str | None = None,
        reply_to: str | None = None,
        thread_id: str | None = None,
        qos: int | None = None,
        ttl_ms: int | None = None,
        deliver_after_ms: int | None = None,
        priority: int | None = None,
    ) -> MessageSendOutput:
        """Send a message to one or more mailboxes. A write: never retried."""
        return await self._call("message_send", MessageSendInput, MessageSendOutput, {
            "to": to,
            "body": body,
            "encrypted": encrypted,
            "content_type": content_type,
            "ordering_key": ordering_key,
            "dedupe_id": dedupe_id,
            "reply_to": reply_to,
            "thread_id": thread_id,
            "qos": qos,
            "ttl_ms": ttl_ms,
            "deliver_after_ms": deliver_after_ms,
            "priority": priority,
        })

    async def message_send_many(
        self,
        *,
        messages: List[MessageSendManyMessage],
    ) -> MessageSendManyOutput:
        """Send up to 100 messages in one call: all of them or none. A write: never retried."""
        return await self._call("message_send_many", MessageSendManyInput, MessageSendManyOutput, {
            "messages": messages,
        })

    async def task_cancel(
        self,
        *,
        task_id: str,
        agent_did: str | None = None,
    ) -> TaskCancelOutput:
        """Cancel a task of yours that has not ended, and tell its agent. A write: never retried."""
        return await self._call("task_cancel", TaskCancelInput, TaskCancelOutput, {
            "task_id": task_id,
            "agent_did": agent_did,
        })

    async def task_get(
        self,
        *,
        task_id: str,
        agent_did: str | None = None,
        history_length: int | None = None,
        after: int | None = None,
        wait_ms: int | None = None,
    ) -> TaskGetOutput:
        """Read a task of yours, or wait until it changes. A read: retried."""
        return await self._call("task_get", TaskGetInput, TaskGetOutput, {
            "task_id": task_id,
            "agent_did": agent_did,
            "history_length": history_length,
            "after": after,
            "wait_ms": wait_ms,
        })

    async def task_list(
        self,
        *,
        agent_did: str | None = None,
        context_id: str | None = None,
        state: Literal["submitted", "working", "input_required", "auth_required", "completed", "failed", "canceled", "rejected"] | None = None,
        history_length: int | None = None,
        include_artifacts: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> TaskListOutput:
        """List your tasks, the last changed first. A read: retried."""
        return await self._call("task_list", TaskListInput, TaskListOutput, {
            "agent_did": agent_did,
            "context_id": context_id,
            "state": state,
            "history_length": history_length,
            "include_artifacts": include_artifacts,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def task_send(
        self,
        *,
        agent_did: str,
        message: TaskSendMessage,
        task_id: str | None = None,
        context_id: str | None = None,
    ) -> TaskSendOutput:
        """Give a registered agent a task, or send it more for one; its answer becomes part of the task. A write: never retried."""
        return await self._call("task_send", TaskSendInput, TaskSendOutput, {
            "agent_did": agent_did,
            "message": message,
            "task_id": task_id,
            "context_id": context_id,
        })

    async def topic_declare(
        self,
        *,
        topic: str,
        owner_did: str | None = None,
        publishers: Literal["organization"] | List[str] | None = None,
        subscribers: Literal["organization"] | List[str] | None = None,
        retention_ms: int | None = None,
        closed: bool | None = None,
    ) -> TopicDeclareOutput:
        """Open a topic, say who may publish and subscribe, or close it. A write: never retried."""
        return await self._call("topic_declare", TopicDeclareInput, TopicDeclareOutput, {
            "topic": topic,
            "owner_did": owner_did,
            "publishers": publishers,
            "subscribers": subscribers,
            "retention_ms": retention_ms,
            "closed": closed,
        })

    async def topic_subscribe(
        self,
        *,
        subscription: str,
        from_: Literal["now", "earliest"] | None = None,
        consumers: List[str] | None = None,
    ) -> TopicSubscribeOutput:
        """Subscribe to a topic, alone or as a group of consumers of which one gets each message. A write: never retried."""
        return await self._call("topic_subscribe", TopicSubscribeInput, TopicSubscribeOutput, {
            "subscription": subscription,
            "from_": from_,
            "consumers": consumers,
        })

    async def topic_unsubscribe(
        self,
        *,
        subscription: str,
    ) -> TopicUnsubscribeOutput:
        """End a subscription: what it has not finished is removed with it. A write: never retried."""
        return await self._call("topic_unsubscribe", TopicUnsubscribeInput, TopicUnsubscribeOutput, {
            "subscription": subscription,
        })
