"""Backbones, from ids to states; autoencoders, from examples to codes and back."""

from foretext.base.registry import Registry

__all__ = ["AUTOENCODERS", "BACKBONES"]

BACKBONES = Registry(
    "backbone",
    {
        "transformer": "foretext.backbones.transformer:Transformer",
        "xlnet": "foretext.backbones.xlnet:XLNet",
        "deberta": "foretext.backbones.deberta:Deberta",
        "lookup": "foretext.backbones.lookup:Lookup",
        "textcnn": "foretext.backbones.textcnn:TextCNN",
        "recurrent": "foretext.backbones.recurrent:Recurrent",
        "reader": "foretext.backbones.pair_reader:PairReader",
        "elmo": "foretext.backbones.elmo:Elmo",
        "encoder_decoder": "foretext.backbones.encoder_decoder:EncoderDecoder",
        "seq2seq": "foretext.backbones.seq2seq:Seq2Seq",
    },
)

AUTOENCODERS = Registry(
    "autoencoder",
    {
        "linear": "foretext.backbones.autoencoder:LinearAutoencoder",
        "dense": "foretext.backbones.autoencoder:DenseAutoencoder",
        "convolutional": "foretext.backbones.autoencoder:ConvolutionalAutoencoder",
    },
)
