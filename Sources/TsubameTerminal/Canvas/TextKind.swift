// TextKind: the format of a text, as far as it can be laid out and painted.

package enum TextKind: Sendable {
    case plain
    case json
    /// One JSON value a line.
    case jsonLines
    case xml
    case html
    /// Server-sent events (text/event-stream).
    case events
    /// A form (application/x-www-form-urlencoded).
    case form

    /// - Parameters:
    ///   - type: the part of a media type before the slash, in lower case.
    ///   - subtype: the part after the slash, in lower case.
    package init(type: String, subtype: String) {
        self =
            switch subtype {
            case "x-ndjson", "ndjson", "jsonl", "jsonlines", "x-jsonlines", "stream+json": .jsonLines
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
