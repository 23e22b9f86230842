import { Component, type ReactNode } from 'react'

/** Contains a page's error, so that other pages keep working. */
export class PageBoundary extends Component<{ children: ReactNode }, { broken: Error | undefined }> {
  override state = { broken: undefined }

  static getDerivedStateFromError(broken: Error) {
    return { broken }
  }

  override render() {
    const { broken } = this.state as { broken: Error | undefined }
    if (!broken) return this.props.children
    return (
      <div role="alert" className="problem">
        <h1>This page failed</h1>
        <p>{broken.message}</p>
        <button type="button" onClick={() => this.setState({ broken: undefined })}>
          Try again
        </button>
      </div>
    )
  }
}
