// CallError+Localized: the texts of an error for alerts, such as `error.localizedDescription`.

public import Foundation
public import Tsubame

extension CallError: LocalizedError {
    /// The first line of the error's `description`: the failure and its place, with credentials withheld.
    public var errorDescription: String? {
        description.split(whereSeparator: \.isNewline).first.map(String.init) ?? reason
    }

    /// The reason for the failure.
    public var failureReason: String? { reason }

    /// The advice: how to solve the problem; nil if there is none.
    public var recoverySuggestion: String? { advice }
}
