// FuzzTarget: a promise about any bytes, and the list of all of them.

import Foundation

/// One promise that must hold for any bytes. A target calls the code as the client calls it, and throws a ``Finding``
/// if a result is wrong. Errors that the code throws for bad input are expected. A trap ends the process, which is a
/// finding too.
package struct FuzzTarget: Sendable {
    package let name: String
    /// The length of the largest input that is worth trying, in bytes.
    package let maximumBytes: Int
    /// A program that must be installed for the target; nil if it needs none.
    package let needs: String?
    private let availability: @Sendable () -> Bool
    package let check: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String, upTo maximumBytes: Int = 1_024, needs: String? = nil,
        isAvailable: @escaping @Sendable () -> Bool = { true }, check: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.maximumBytes = maximumBytes
        self.needs = needs
        availability = isAvailable
        self.check = check
    }

    package var isAvailable: Bool { availability() }

    package static let all: [FuzzTarget] =
        messages + proxies + http2 + fields + texts + files + requests + secrets + codings + comparisons

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

    package static func file(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }
}

/// A promise that an input broke.
package struct Finding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws(Finding) {
    guard condition else { throw Finding(promise()) }
}

func requireEqual<T: Equatable>(_ first: T, _ second: T, _ promise: @autoclosure () -> String) throws(Finding) {
    guard first == second else { throw Finding("\(promise())\n  \(first)\n  \(second)") }
}
