import type { PageProps } from '../../shell/pages.ts'

export function JourneyPage({ place }: PageProps) {
  return <p>{place.page}</p>
}
