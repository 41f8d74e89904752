// Role: what a piece of text on a terminal is, whatever it looks like.

/// Painters say what a piece of text is; the ``Theme`` says how that looks.
package enum Role: Sendable, CaseIterable {
    /// Ordinary text.
    case plain
    /// Brackets, commas, colons, quotes around attributes.
    case punctuation
    /// The name of a member, of a field of an event, of a form's field.
    case name
    case string
    /// `\n` in JSON, `%20` in a form, `&amp;` in markup.
    case escape
    case number
    /// `true`, `false` and `null`.
    case literal
    case comment
    case tag
    case attribute

    case method
    case target
    case version
    case fieldName
    case fieldValue
    case informational
    case success
    case redirect
    case clientError
    case serverError

    /// The name of a figure, such as `Elapsed time`.
    case label
    /// What a control character is shown as.
    case control

    // The bars of a waterfall.
    case queued
    case resolving
    case connecting
    case securing
    case sending
    case waiting
    case receiving

    /// That of a status code's class.
    package static func status(_ code: Int) -> Role {
        switch code {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirect
        case 400..<500: .clientError
        default: .serverError
        }
    }
}
