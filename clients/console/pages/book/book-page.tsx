import type { PageProps } from '../../shell/pages.ts'

export function BookPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
