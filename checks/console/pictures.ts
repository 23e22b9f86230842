// The pictures of the console, each of a page as the demo's administrator sees it.

export interface Picture {
  readonly file: string
  /** As in the address of the console. */
  readonly place: string
  /** A text that is there once the page is whole. */
  readonly shows: string
  /** What is clicked first. */
  readonly press?: string
}

export const picture_size = { width: 1280, height: 800 }

export const pictures: readonly Picture[] = [
  { file: 'console-overview.png', place: 'overview?range=30d', shows: 'Busiest protocols' },
  {
    file: 'console-request.png',
    place: 'requests?outcome=refused',
    press: '.list-row',
    shows: 'What would have changed it',
  },
  { file: 'console-costs.png', place: 'costs', shows: 'By department' },
]
