// All limits of tasks.

/** Parts of a message or artifact, and artifacts of a task. */
export const parts_max = 256
export const steps_max = 1_000
/** All steps of a task together, as canonical JSON. */
export const task_bytes_max = 4 * 1024 * 1024
/** One step; a message to its agent must also fit into its mailbox. */
export const step_bytes_max = 2 * 1024 * 1024
export const open_tasks_max = 1_000
/** After its end, or after its last step where it has not ended. */
export const kept_days = 30
/** Of all tasks of one page. */
export const page_bytes_max = 5 * 1024 * 1024
/** Counting stops here. */
export const counted_max = 10_000
