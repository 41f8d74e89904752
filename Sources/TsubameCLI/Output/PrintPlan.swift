// PrintPlan: what is printed of a call, and how.
#if Tool

/// What the options about output come to.
struct PrintPlan: Sendable {
    /// Of the first request and the last response.
    var parts: PrintParts
    /// Of the messages between them.
    var history: PrintParts
    /// Whether responses that are not the last are printed, too (`--all`).
    var showsAll = false
    /// Whether informational responses and trailers are printed, too.
    var isVerbose = false
    /// Whether a body that is not printed is read nevertheless, so that it is known whether it came whole.
    var readsBody = false
    /// Whether the waterfall goes to the standard error, where the output is no place for it.
    var sendsTimingsToErrors = false
    /// Whether warnings are left out.
    var isSilent = false
    /// What a response's content is taken for.
    var reading = ContentReading()
    /// Of the standard error.
    var errorStyle = OutputStyle()
    /// Whether more than ASCII can be shown.
    var isUnicode = true

    /// Of what may be printed at some time.
    var anyParts: PrintParts { parts.union(history) }

    /// How much of each intermediate body is printed at most: what comes with its head, since nobody waits for the rest.
    var historyBodyBytes: Int { showsAll && history.contains(.responseBody) ? 64 << 10 : 0 }
}

#endif
