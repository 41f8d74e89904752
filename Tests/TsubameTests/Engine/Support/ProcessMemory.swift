// ProcessMemory: how much memory this process uses. The one file here that knows where the system tells it.

import Foundation

enum ProcessMemory {
    /// Bytes that lie in memory, where `/proc` tells them; else 0, which no bound on growth can fail on.
    static var resident: Int? { field(1) }

    /// Bytes that the process has asked for, used or not; likewise.
    static var reserved: Int? { field(0) }

    private static func field(_ index: Int) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.indices.contains(index) ? Int(fields[index]).map { $0 * 4096 } : nil
    }
}
