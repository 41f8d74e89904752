// LayoutStyle: how texts are laid out.

/// The value of `--format-options`, as far as it is about bodies.
package struct LayoutStyle: Sendable, Equatable {
    /// Whether JSON is laid out.
    package var formatsJSON = true
    /// The number of spaces for each level of JSON.
    package var jsonIndent = 4
    /// Whether the members of JSON objects are sorted by name.
    package var sortsMembers = false
    /// Whether XML and HTML are laid out.
    package var formatsMarkup = true
    /// The number of spaces for each level of XML.
    package var xmlIndent = 2

    package init() {}
}
