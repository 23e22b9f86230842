// All limits of topics, used by the schemas and by the database.

const day_ms = 86_400_000
/** How long a topic keeps a message. */
export const retention_ms_default = 7 * day_ms
export const retention_ms_min = 60_000
export const retention_ms_max = 30 * day_ms
/** Who may publish, and who may subscribe, where the owner names them: the record of both has to fit into the audit log. */
export const agents_max = 500
export const subscriptions_max = 100
/** Messages that a subscription has read from its topic and that are not finished. */
export const window_max = 1_000
/** Read from a topic at once: their content, and how often one receive reads. */
export const read_bytes_max = 5 * 1024 * 1024
export const reads_max = 20
export const read_more = 50
/** Above its limits a topic drops its oldest messages, so many more that it does not at each one. */
export const dropped_more = 1_000
export const dropped_more_bytes = 10 * 1024 * 1024
export const dropped_at_once = 2_000
export const drops_max = 100
/** What has ended in a topic or a subscription is removed after so many minutes: until then an ack can be repeated. */
export const ended_minutes = 10
