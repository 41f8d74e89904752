// StoreWriter: fills a store of SQLite until it is through, or killed; a line for each thing that is kept.
//
// StoreWriter cookies FILE PREFIX COUNT: `PREFIX0=0` and so on, each with a number that grows, 100 names at most.
// StoreWriter cache FILE URL COUNT: what a GET of URL/0 and so on answers, read to its end.
// StoreWriter hits memory|FOLDER|FILE.sqlite URL COUNT: how long a GET of URL takes that the cache answers.

#if Store
import Foundation
import Tsubame
import TsubameStore

let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[4]) else { exit(64) }

func say(_ number: Int) throws { try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8)) }

do {
    switch arguments[1] {
    case "cookies":
        let jar = try CookieJar(sqlite: arguments[2])
        for number in 0..<count {
            try jar.set("\(arguments[3])\(number % 100)=\(number); Max-Age=86400", from: "https://www.example.com/")
            try say(number)
        }
        for notice in jar.notices { print(notice) }
    case "cache":
        let cache = try ResponseCache(sqlite: arguments[2])
        let client = Client(arguments[3]) { $0.cache = .cache(cache) }
        for number in 0..<count {
            try await client.stream(Request(.get, "\(number)")) { response in for try await _ in response.body {} }
            try say(number)
        }
        await client.close()
    case "hits":
        let place = arguments[2]
        let cache =
            place == "memory"
            ? ResponseCache()
            : try place.hasSuffix(".sqlite") ? ResponseCache(sqlite: place) : ResponseCache(folder: place)
        let client = Client { $0.cache = .cache(cache) }
        let request = Request(.get, url: arguments[3])
        for _ in 0..<200 { _ = try await client.send(request) }
        var hits = 0
        let duration = try await ContinuousClock().measure {
            for _ in 0..<count where try await client.send(request).cacheStatus?.hasPrefix("tsubame; hit") == true {
                hits += 1
            }
        }
        print("\(hits) of \(count) from \(place): \(duration / count) each")
        await client.close()
    default: exit(64)
    }
} catch {
    print(error)
    exit(1)
}
#endif
