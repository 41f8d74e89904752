// PrintPlan: which parts of a call are printed, and how.

/// The result of the output options.
struct PrintPlan: Sendable {
    /// The parts of the first request and the last response.
    var parts: PrintParts
    /// The parts of the messages between them.
    var history: PrintParts
    /// Whether responses before the last one are printed as well (`--all`).
    var showsAll = false
    /// Whether informational responses and trailers are printed as well.
    var isVerbose = false
    /// Whether an unprinted body is read anyway, to find out whether it arrives complete.
    var readsBody = false
    /// Whether the waterfall goes to the standard error, because the output is not a terminal.
    var sendsTimingsToErrors = false
    /// Whether the bodies are saved, for which a run may make several calls.
    var isDownload = false
    /// Whether warnings are left out.
    var isSilent = false
    /// How the content of a response is interpreted.
    var reading = ContentReading()
    /// The style of the standard error.
    var errorStyle = OutputStyle()
    /// Whether characters outside ASCII can be shown.
    var isUnicode = true

    /// All parts that may be printed during the call.
    var anyParts: PrintParts { parts.union(history) }

    /// The largest number of bytes printed of each intermediate body. Only bytes that come with its head are printed,
    /// so that the call does not wait for more.
    var historyBodyBytes: Int { showsAll && history.contains(.responseBody) ? 64 << 10 : 0 }
}
