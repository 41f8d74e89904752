// swift-tools-version: 6.2
import PackageDescription

// A package of its own, since only this program needs a web framework. TSUBAME names another checkout to measure.
let package = Package(
    name: "InServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Tsubame", path: Context.environment["TSUBAME"] ?? "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        .executableTarget(
            name: "in-server",
            dependencies: [
                .product(name: "Tsubame", package: "Tsubame"), .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
