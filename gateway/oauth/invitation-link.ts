/** Where an invitation is opened; the page answers nobody else's requests with it. */
export function invitationLink(public_url: string, token: string): string {
  return `${public_url}/oauth/invitation?token=${token}`
}
