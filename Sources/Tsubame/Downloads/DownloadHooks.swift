// DownloadHooks: the closures by which the command-line tool follows a download, besides its progress.

package import TsubameCore

package struct DownloadHooks: Sendable {
    /// Called with the response whose body is written, before the first byte is.
    package var head: (@Sendable (Response) -> Void)?
    /// Called with the paths of the files that are removed if the download fails, because it cannot be resumed.
    package var temporary: (@Sendable ([String]) -> Void)?

    /// Called with the path at which bytes are kept for a later call, and whether that file's length says how many
    /// bytes came. The path is nil from the time when no bytes are kept.
    package var kept: (@Sendable (_ path: String?, _ isGapless: Bool) -> Void)?

    /// The files that the downloads of one command have written, and that were not there before.
    package var finished: FinishedFiles?

    package init() {}
}
