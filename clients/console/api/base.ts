// Where the console stands: everything is asked for beside its own page, so any port and any path prefix will do.

/** Without a slash at the end. */
export const base_url = new URL('.', document.baseURI).href.replace(/\/$/, '')

/** The path by which a sign-in leads back here. */
export const own_path = new URL('.', document.baseURI).pathname
