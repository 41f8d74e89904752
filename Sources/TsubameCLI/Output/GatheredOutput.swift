// GatheredOutput: gathers the output of one of several runs, so that it is not mixed with the others'.

import Synchronization
import Tsubame

/// Runs that print at once would mix their lines. So each run gathers its output, and writes it in one go when an
/// exchange is complete.
final class GatheredOutput: Sendable {
    /// Output longer than this, in bytes, is written before the exchange is complete.
    private static let maximumBytes = 1 << 20
    /// Held by the run that is writing.
    private static let turn = Mutex(())

    private struct State {
        var list: [Bytes] = []
        var count = 0
        /// The last byte that was added; nil before the first.
        var last: UInt8?
        /// Texts that are not shown, the longest first.
        var hidden: [[UInt8]] = []
    }

    private let state = Mutex(State())

    func add(_ bytes: Bytes, for descriptor: Descriptor) throws(SystemError) {
        let isMuch = state.withLock { state in
            state.list.append(bytes)
            state.count += bytes.count
            state.last = bytes.last ?? state.last
            return state.count > Self.maximumBytes
        }
        if isMuch { try flush(to: descriptor, isComplete: false) }
    }

    /// Has these texts replaced by asterisks in all that is written from now on.
    func hide(_ texts: [String]) {
        let hidden = Self.searched(texts)
        state.withLock { $0.hidden = hidden }
    }

    /// The bytes with asterisks for these texts.
    static func hiding(_ texts: [String], in bytes: Bytes) -> Bytes {
        let texts = searched(texts)
        return texts.isEmpty ? bytes : Bytes(hiding(texts, in: Array(bytes), keeping: 0).shown)
    }

    /// The bytes that are searched for, the longest first.
    private static func searched(_ texts: [String]) -> [[UInt8]] {
        texts.filter { !$0.isEmpty }.map { Array($0.utf8) }.sorted { $0.count > $1.count }
    }

    /// Whether the output ends within a line.
    var isWithinLine: Bool { state.withLock { $0.last.map { $0 != 0x0A } ?? false } }

    /// - Parameter isComplete: whether no more output follows. Otherwise the beginning of a hidden text may stay back.
    func flush(to descriptor: Descriptor, isComplete: Bool = true) throws(SystemError) {
        try Self.turn.withLock { _ throws(SystemError) in
            // Taken under the lock, so that earlier output is written first.
            let bytes: Bytes = state.withLock { state in
                let all = Bytes(joining: state.list)
                (state.list, state.count) = ([], 0)
                guard let longest = state.hidden.first?.count else { return all }
                let (shown, rest) = Self.hiding(state.hidden, in: Array(all), keeping: isComplete ? 0 : longest - 1)
                if !rest.isEmpty { (state.list, state.count) = ([Bytes(rest)], rest.count) }
                return Bytes(shown)
            }
            guard !bytes.isEmpty else { return }
            try bytes.withUnsafeBytes { bytes throws(SystemError) in try descriptor.writeAll(bytes) }
        }
    }

    /// The bytes with asterisks for hidden texts, up to a rest in which one may begin.
    private static func hiding(
        _ texts: [[UInt8]], in bytes: [UInt8], keeping kept: Int
    ) -> (shown: [UInt8], rest: ArraySlice<UInt8>) {
        var shown: [UInt8] = []
        shown.reserveCapacity(bytes.count)
        let first = Set(texts.compactMap(\.first))
        var index = 0
        while index < bytes.count - kept {
            let rest = bytes[index...]
            if first.contains(bytes[index]), let text = texts.first(where: { rest.starts(with: $0) }) {
                shown += Array("***".utf8)
                index += text.count
            } else {
                shown.append(bytes[index])
                index += 1
            }
        }
        return (shown, bytes[min(index, bytes.count)...])
    }
}
