// Prospect: whether what failed may work a moment later.

/// The cause of an error about which its kind does not say it.
package enum Prospect: Error, Hashable {
    /// Another attempt finds the same.
    case none
    /// It may pass, such as a resolver that does not answer.
    case good
}
