// All limits of mail, used by the schemas and by the database.

export const mail_states = ['queued', 'in_flight', 'received', 'acked', 'dead', 'expired'] as const

/** Per mailbox: unfinished messages, and the bytes of these and of the dead letters. */
export const mailbox_live_max = 100_000
export const mailbox_bytes_max = 1024 ** 3
/** Beyond these limits a mailbox has room for so many letters of courts: nobody escapes service by a full one. */
export const notices_of_court_max = 1_000
export const notice_bytes_max = 16 * 1024
/** Counted when a mailbox is created, so this also bounds the cost of creating one. */
export const mailboxes_of_tenant_max = 20_000
/** Above this number other organizations cannot create more. */
export const mailboxes_by_others_max = 10_000
export const deliveries_max = 5
/** How long a repeated message of the same sender is detected. */
export const dedupe_days = 30
/** Retention of a body after its message has ended; of a dead letter after its death. */
export const kept_days = 30
export const recipients_max = 100
export const handed_max = 100
/** Total size of one send; a copy is sealed for each recipient. */
export const fan_out_bytes_max = 64 * 1024 * 1024
/** Total size of one receive; the first message always fits. */
export const handed_bytes_max = 5 * 1024 * 1024
export const delegates_max = 100
/** Rows settled in one step; the rest follows in the next. */
export const settled_at_once_max = 1_000
