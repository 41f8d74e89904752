// CallError+Transient: says whether another attempt may succeed, for failures whose kind leaves that open.

/// The underlying cause of a failure whose kind does not say whether another attempt may succeed.
package struct FailureCause: Error, Hashable {
    /// Whether the cause may pass. A resolver that does not answer may answer later. An address that is not allowed
    /// stays forbidden.
    package let isTransient: Bool
    /// Whether the process or the system had no descriptor left. Another attempt succeeds once one was closed.
    package let isShortOfDescriptors: Bool

    package init(isTransient: Bool, isShortOfDescriptors: Bool = false) {
        self.isTransient = isTransient
        self.isShortOfDescriptors = isShortOfDescriptors
    }
}

extension CallError {
    /// Whether the cause may pass; nil if the error's kind decides that.
    package var isTransient: Bool? { (underlying as? FailureCause)?.isTransient }
}
