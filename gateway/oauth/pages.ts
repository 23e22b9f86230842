// The pages people see: plain HTML without scripts. Text of others is always escaped.
import { readFileSync } from 'node:fs'
import type { Invitation, Person } from './ports.ts'
import { scopes } from './scopes.ts'

export const pages_style = readFileSync(new URL('pages.css', import.meta.url), 'utf8')

const policy_start =
  "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

/** `sent_to` is where a submitted form may finally lead: browsers apply the same rule to redirects. */
export function pageHeaders(sent_to?: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': sent_to === undefined ? policy_start : `${policy_start} ${sent_to}`,
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
  }
}

export const html_headers = pageHeaders()

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** From the root where the page may be anywhere below it. */
const style_href = '/oauth/pages.css'
/** Relative to the sign-in and sign-out pages, which may also be behind a console, under any prefix. */
const style_beside = 'pages.css'

function page(title: string, body: string, style = style_href, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${style}">${head}
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`
}

/** In place of a console that is being built; it reloads itself. */
export function waitingPage(sentence: string, reload_seconds: number): string {
  const reload = `\n<meta http-equiv="refresh" content="${reload_seconds}">`
  return page('svc console', `<p role="status">${escapeHtml(sentence)}</p>`, 'oauth/pages.css', reload)
}

export interface Asking {
  readonly client_name: string
  /** A client chose its name itself, so it is not trusted. */
  readonly is_built_in: boolean
  readonly redirect_host: string
}

export interface SignInForm {
  readonly action: string
  readonly form_token: string
  readonly login?: string
  readonly alert?: string
  readonly asking?: Asking
  /** Host and address of the upstream issuer, where there is one. */
  readonly upstream?: { readonly host: string; readonly href: string }
}

export function signInPage({ action, form_token, login = '', alert, asking, upstream }: SignInForm): string {
  const why = asking ? `<p>${whoAsks(asking)} wants you to sign in.</p>` : ''
  const wrong = alert === undefined ? '' : `<p role="alert" id="wrong">${escapeHtml(alert)}</p>`
  const described = alert === undefined ? '' : ' aria-describedby="wrong"'
  const cancel = asking
    ? '<button class="second" name="answer" value="cancel" formnovalidate>Cancel</button>'
    : ''
  const other = upstream
    ? `<a class="button" href="${escapeHtml(upstream.href)}">Sign in with ${escapeHtml(upstream.host)}</a>`
    : ''
  return page(
    'Sign in',
    `${why}${wrong}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<label>Login
<input name="login" value="${escapeHtml(login)}" autocomplete="username" autocapitalize="none" spellcheck="false" required${described}${login ? '' : ' autofocus'}></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" required${described}${login ? ' autofocus' : ''}></label>
<button name="answer" value="sign-in">Sign in</button>
${cancel}
</form>
${other}`,
    asking ? style_href : style_beside,
  )
}

export interface InvitationForm {
  readonly action: string
  readonly form_token: string
  readonly invitation: Invitation
  readonly login?: string | undefined
  readonly alert?: string | undefined
  /** The upstream issuer, where there is one. */
  readonly upstream_host?: string | undefined
}

export function invitationPage(form: InvitationForm): string {
  const { action, form_token, invitation, alert, upstream_host } = form
  const login = invitation.login ?? form.login ?? ''
  const fixed = invitation.login === null ? '' : ' readonly'
  const wrong = alert === undefined ? '' : `<p role="alert" id="wrong">${escapeHtml(alert)}</p>`
  const described = alert === undefined ? '' : ' aria-describedby="wrong"'
  const roles =
    invitation.roles.length === 0 ? '' : ` with the role ${escapeHtml(invitation.roles.join(', '))}`
  const other = upstream_host
    ? `<p>Or, without a password of your own here:</p>
<button class="second" name="answer" value="upstream" formnovalidate>Sign in with ${escapeHtml(upstream_host)}</button>`
    : ''
  return page(
    'Your invitation',
    `<p>${escapeHtml(invitation.name)}, you are invited to <strong>${escapeHtml(invitation.tenant_id)}</strong>${roles}.
Choose how you will sign in.</p>${wrong}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<label>Login, such as your email address
<input name="login" value="${escapeHtml(login)}" autocomplete="username" autocapitalize="none" spellcheck="false" required${described}${fixed || ' autofocus'}></label>
<label>Password
<input name="password" type="password" autocomplete="new-password" required${described}${fixed && ' autofocus'}></label>
<button name="answer" value="join">Create my account</button>
${other}
</form>`,
    style_beside,
  )
}

/** Leads on by itself, or by its link. */
export function leavingPage({ host, href }: { readonly host: string; readonly href: string }): string {
  return page(
    'Sign in',
    `<a class="button" href="${escapeHtml(href)}">Sign in with ${escapeHtml(host)}</a>`,
    style_beside,
    `<meta http-equiv="refresh" content="0; url=${escapeHtml(href)}">`,
  )
}

export interface ConsentForm {
  readonly action: string
  readonly form_token: string
  readonly asking: Asking
  readonly user: Person
  readonly scopes: readonly string[]
}

export function consentPage({ action, form_token, asking, user, scopes: requested }: ConsentForm): string {
  const rights = requested.flatMap((name) =>
    Object.hasOwn(scopes, name) ? [scopes[name as keyof typeof scopes]] : [],
  )
  return page(
    'Allow access?',
    `<p>${whoAsks(asking)} wants to act for you. It may then:</p>
<ul>${rights.map((right) => `<li>${escapeHtml(right)}</li>`).join('')}</ul>
<dl>
<dt>You are</dt><dd>${escapeHtml(user.name ?? user.login)} (${escapeHtml(user.login)})</dd>
<dt>Organization</dt><dd>${escapeHtml(user.tenant_id)}</dd>
<dt>Answer goes to</dt><dd>${escapeHtml(asking.redirect_host)}</dd>
</dl>
${asking.is_built_in ? '' : '<p class="quiet">The app chose its name itself; nobody has checked it. Allow it only if you started this.</p>'}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<button name="answer" value="allow">Allow</button>
<button class="second" name="answer" value="cancel" autofocus>Cancel</button>
</form>`,
  )
}

export function signOutPage(form_token: string, user: Person): string {
  return page(
    'Sign out',
    `<p>You are signed in as ${escapeHtml(user.login)} of ${escapeHtml(user.tenant_id)}.</p>
<form method="post" action="sign-out">
<input type="hidden" name="form_token" value="${escapeHtml(form_token)}">
<button name="answer" value="here">Sign out here</button>
<button class="second" name="answer" value="everywhere">Sign out everywhere, and end every app's access</button>
</form>`,
    style_beside,
  )
}

export function messagePage(title: string, sentence: string): string {
  return page(
    title,
    `<p>${escapeHtml(sentence)}</p><p><a class="button" href="sign-in">Sign in</a></p>`,
    style_beside,
  )
}

/** `path` is the page's own, where known: its style sheet is relative to it, under any prefix. */
export function errorPage(sentence: string, path?: string): string {
  const below = path === undefined ? 0 : path.split('/').length - style_href.split('/').length
  const style = path === undefined ? style_href : '../'.repeat(Math.max(0, below)) + style_beside
  return page('This did not work', `<p role="alert">${escapeHtml(sentence)}</p>`, style)
}

function whoAsks({ client_name, redirect_host }: Asking): string {
  return `<strong>${escapeHtml(client_name)}</strong> at ${escapeHtml(redirect_host)}`
}
