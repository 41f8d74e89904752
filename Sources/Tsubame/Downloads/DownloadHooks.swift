// DownloadHooks: what the tool wants to know of a download, beside its progress.

package import TsubameCore

package struct DownloadHooks: Sendable {
    /// The response whose body is written, before it is.
    package var head: (@Sendable (Response) -> Void)?
    /// Files that are removed if the download fails, since it cannot be resumed.
    package var temporary: (@Sendable ([String]) -> Void)?

    /// Where what comes is kept for another call, if it is, and whether the length of that file says how much has come; no
    /// path from when it is not.
    package var kept: (@Sendable (_ path: String?, _ isGapless: Bool) -> Void)?

    /// What the downloads of one command have written, which was not there before.
    package var finished: FinishedFiles?

    package init() {}
}
