// What alerts show of an error: `error.localizedDescription`.

public import Foundation
public import Tsubame

extension CallError: LocalizedError {
    /// What failed and where: the first line of its `description`, credentials withheld.
    public var errorDescription: String? {
        description.split(whereSeparator: \.isNewline).first.map(String.init) ?? reason
    }

    /// What is wrong, in words.
    public var failureReason: String? { reason }

    /// What to do about it.
    public var recoverySuggestion: String? { advice }
}
