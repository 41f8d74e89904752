// AtomicPhase: the phase of an exchange, which its loop sets and any thread may read.

import Synchronization
import TsubameCore

struct AtomicPhase: ~Copyable, Sendable {
    private static let all: [CallError.Phase] = [
        .preparing, .authenticating, .waiting, .resolving, .connecting, .securing, .sendingHead, .sendingBody,
        .waitingForHead, .receivingBody, .decoding, .checking, .backingOff,
    ]

    private let code: Atomic<UInt8>

    init(_ phase: CallError.Phase) { code = Atomic(Self.code(phase)) }

    var value: CallError.Phase {
        get { Self.all[Int(code.load(ordering: .relaxed))] }
        nonmutating set { code.store(Self.code(newValue), ordering: .relaxed) }
    }

    @inline(__always)
    private static func code(_ phase: CallError.Phase) -> UInt8 {
        switch phase {
        case .preparing: 0
        case .authenticating: 1
        case .waiting: 2
        case .resolving: 3
        case .connecting: 4
        case .securing: 5
        case .sendingHead: 6
        case .sendingBody: 7
        case .waitingForHead: 8
        case .receivingBody: 9
        case .decoding: 10
        case .checking: 11
        case .backingOff: 12
        }
    }
}
