// Role: the meaning of a piece of text on a terminal, apart from its looks.

/// Painters give each piece of text a role, and the ``Theme`` decides how the role looks.
package enum Role: Sendable, CaseIterable {
    /// Ordinary text.
    case plain
    /// Brackets, commas, colons, quotes around attributes.
    case punctuation
    /// The name of a JSON member, of an event's field, or of a form's field.
    case name
    case string
    /// An escape: `\n` in JSON, `%20` in a form, `&amp;` in markup.
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
    /// The visible form of a control character.
    case control

    // The bars of a waterfall.
    case queued
    case resolving
    case connecting
    case securing
    case sending
    case waiting
    case receiving

    /// The role of a status code, by its class.
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
