// ProcessMemory: how much memory this process uses. The one file here that knows where the system tells it.

import Foundation

enum ProcessMemory {
    /// Resident bytes, where `/proc` tells them; else 0, which no bound on growth can fail on.
    static var resident: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * 4096 } : nil
    }
}
