// Every request is relative to the console's own page, so it works on any port and under any path prefix.

/** Without a trailing slash. */
export const base_url = new URL('.', document.baseURI).href.replace(/\/$/, '')

/** The path to which a sign-in redirects back. */
export const own_path = new URL('.', document.baseURI).pathname
