// CallError+Transient: says whether another attempt may succeed, for failures whose kind leaves that open.

/// The underlying cause of a failure whose kind does not say whether another attempt may succeed.
package struct FailureCause: Error, Hashable {
    /// Whether the cause may pass. A resolver that does not answer may answer later. An address that is not allowed
    /// stays forbidden.
    package let isTransient: Bool

    package init(isTransient: Bool) { self.isTransient = isTransient }
}

extension CallError {
    /// Whether the cause may pass; nil if the error's kind decides that.
    package var isTransient: Bool? { (underlying as? FailureCause)?.isTransient }
}
