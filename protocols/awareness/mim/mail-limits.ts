// Every number mail is held to, for the schemas and for the database alike.

export const mail_states = ['queued', 'in_flight', 'received', 'acked', 'dead', 'expired'] as const

/** Of one mailbox: messages not yet done with, and the bytes of these and of the dead. */
export const mailbox_live_max = 100_000
export const mailbox_bytes_max = 1024 ** 3
/** Counted where one is opened, so this is also what opening costs at most. */
export const mailboxes_of_tenant_max = 20_000
/** Where there are so many, other organizations open no more. */
export const mailboxes_by_others_max = 10_000
export const deliveries_max = 5
/** The same message of the same sender is known again for so long. */
export const dedupe_days = 30
/** A body is readable so long after its message has ended; a dead letter so long after its death. */
export const kept_days = 30
export const recipients_max = 100
export const handed_max = 100
/** Of all that one send keeps; a copy is sealed for every recipient. */
export const fan_out_bytes_max = 64 * 1024 * 1024
/** Of all that one receive hands out; the first message always fits. */
export const handed_bytes_max = 5 * 1024 * 1024
export const delegates_max = 100
/** Rows that time changes in one step; the rest follows in the next. */
export const settled_at_once_max = 1_000
