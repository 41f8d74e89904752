// TextKind: what a text is, as far as it can be laid out and painted.

package enum TextKind: Sendable {
    case plain
    case json
    /// A JSON value a line, or behind a record separator (RFC 7464).
    case jsonLines
    case xml
    case html
    /// text/event-stream.
    case events
    /// application/x-www-form-urlencoded.
    case form

    /// - Parameters:
    ///   - type: the part of a media type before the slash, in lower case.
    ///   - subtype: that behind it.
    package init(type: String, subtype: String) {
        self =
            switch subtype {
            case "x-ndjson", "ndjson", "jsonl", "jsonlines", "x-jsonlines", "json-seq", "stream+json": .jsonLines
            case "json", "x-json": .json
            case "html", "xhtml+xml": .html
            case "xml": .xml
            case "event-stream": .events
            case "x-www-form-urlencoded": .form
            case _ where subtype.hasSuffix("+json"): .json
            case _ where subtype.hasSuffix("+xml"): .xml
            default: .plain
            }
    }
}
